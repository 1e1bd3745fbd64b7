import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFormBody } from './form-body.ts'

const TYPE = 'multipart/form-data; boundary=x'
const part = (name: string, headers = '') =>
  `--x\r\nContent-Disposition: form-data; name="${name}"\r\n${headers}\r\nv\r\n`

async function issueOf(body: string, type = TYPE): Promise<string | null> {
  const form = await readFormBody(new TextEncoder().encode(body), type, 5)
  return 'issue' in form ? form.issue : null
}

test('a form of few parts with short headers is accepted, whatever its content', async () => {
  assert.equal(await issueOf(`${part('a').repeat(5)}--x--\r\n`), null)
  assert.equal(await issueOf(`${part('a').slice(0, -2)}${'\r\n-'.repeat(50_000)}\r\n--x--\r\n`), null)
  for (const body of ['', '--x', '--x\r\n', 'nothing', '\r\n'.repeat(9000)])
    assert.equal(await issueOf(body), 'is not valid multipart/form-data')
})

test('a form with too many parts is rejected, for every way to write the boundary', async () => {
  const body = part('a').repeat(6)
  for (const type of [TYPE, 'multipart/form-data;boundary="x"', 'multipart/form-data; a=b; Boundary=x; c=d'])
    assert.equal(await issueOf(body, type), 'has more than 5 parts', type)
  assert.equal(await issueOf(body, 'multipart/form-data; charset=utf-8'), 'has no boundary')
})

test('the boundary that is checked is the one that is parsed', async () => {
  const body = `${part('a').repeat(6)}--x--\r\n`
  // For a parser, the first boundary is in the value of another parameter, or escaped.
  for (const parameters of ['a="; boundary=y"; boundary=x', 'boundary="\\x"', 'boundary=y, a/b; boundary=x'])
    assert.notEqual(await issueOf(body, `multipart/form-data; ${parameters}`), null, parameters)
})

test('headers without an end are rejected', async () => {
  const issue = 'has a part with more than 8192 bytes of headers'
  assert.equal(await issueOf(`--x\r\n${'A: b\r\n'.repeat(2000)}\r\nv\r\n--x--`), issue)
  assert.equal(await issueOf(`${part('a')}${part('b', `X: ${'y'.repeat(9000)}\r\n`)}--x--`), issue)
})
