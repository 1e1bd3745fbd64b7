import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseJsonBody, readJsonBody } from './json-body.ts'

const FILLER = `"${'ä€😀'.repeat(300_000)}"`
const options = { values: 200, isExact: true }

test('a body of several megabytes is read as a short one is', async () => {
  const bodies = [
    `{"a":${FILLER},"b":[12345678901234567890,1.5]}`,
    `{"a":${FILLER},"b":[1,]}`,
    `{"a":${FILLER}`,
    `${FILLER}${FILLER}`,
    `{"a":${FILLER},"__proto__":1}`,
    `{"a":${FILLER},"b":[${'0,'.repeat(200)}0]}`,
    `[${FILLER},${'['.repeat(100)}${']'.repeat(100)}]`,
  ].map((text) => Buffer.from(text))
  bodies.push(Buffer.concat([Buffer.from(FILLER), Buffer.from([0xe2, 0x82])]))
  const issues: unknown[] = []
  for (const bytes of bodies) {
    const { text: _, ...expected } = { text: '', ...parseJsonBody(bytes, options) }
    const { text: __, ...read } = { text: '', ...(await readJsonBody(bytes, options)) }
    assert.deepEqual(read, expected)
    issues.push('issue' in expected ? expected.issue : null)
  }
  assert.deepEqual(issues, [
    null,
    'is not valid JSON',
    'is not valid JSON',
    'is not valid JSON',
    'has a forbidden key: __proto__',
    'has more than 200 values',
    'is nested deeper than 100 levels',
    'is not valid UTF-8',
  ])
})
