import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { findMessageIssues } from './messages.ts'
import { isUndeclaredField, requestFields } from './request-fields.ts'

/** The types of the official SDK, pinned in package.json: the dialect as its vendor describes it. */
const TYPES = readFileSync(
  new URL('resources/chat/completions/completions.d.ts', import.meta.resolve('openai')),
  'utf8',
)

/** The members of an interface of the SDK. */
function membersOf(name: string): string[] {
  const start = TYPES.indexOf(`export interface ${name} {`)
  assert.ok(start >= 0, name)
  const body = TYPES.slice(start, TYPES.indexOf('\n}', start))
  return [...body.matchAll(/^ {4}(\w+)\??:/gm)].map(([, member = '']) => member)
}

test('each field of the dialect, and no other, is accepted or rejected by its name', () => {
  const theirs = membersOf('ChatCompletionCreateParamsBase')
  assert.ok(theirs.length > 35)
  const declared = Object.keys(requestFields.shape)
  assert.deepEqual(
    theirs.filter((name) => !declared.includes(name) && !isUndeclaredField(name)),
    [],
  )
  assert.deepEqual(
    declared.filter((name) => !theirs.includes(name)),
    [],
  )
})

test('each role and each kind of part of the dialect is known', () => {
  const kinds = (pattern: RegExp) => [...TYPES.matchAll(pattern)].map(([, kind = '']) => kind)
  const roles = kinds(/^export interface ChatCompletion\w+MessageParam \{[\s\S]*?^ {4}role: '(\w+)';/gm)
  assert.equal(roles.length, 6)
  for (const role of roles) {
    const message = { role, content: 'x', tool_call_id: 'y', name: 'z' } as never
    assert.deepEqual(findMessageIssues([message]), [], role)
  }
  const parts = new Set(kinds(/^ +type: '(text|image_url|input_audio|file|refusal)';/gm))
  assert.equal(parts.size, 5)
  for (const type of parts) {
    const role = type === 'refusal' ? 'assistant' : 'user'
    // The kind is valid; the part lacks a member.
    const places = findMessageIssues([{ role, content: [{ type }] } as never]).map(
      ({ parameter }) => parameter,
    )
    assert.deepEqual(places, [`messages.0.content.0.${type}`])
  }
})

test('the stream options are accepted or rejected by their names', () => {
  const theirs = membersOf('ChatCompletionStreamOptions')
  const options = requestFields.shape.stream_options.unwrap().unwrap()
  assert.deepEqual(Object.keys(options.shape).toSorted(), theirs.toSorted())
})
