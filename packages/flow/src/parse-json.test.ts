import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseJson } from './parse-json.ts'

const lists = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

test('returns the value of a JSON text, and undefined for any other text', () => {
  assert.deepEqual(parseJson('{"a":[1,null]}'), { a: [1, null] })
  assert.deepEqual(parseJson(new TextEncoder().encode('"é"')), 'é')
  for (const text of ['', '{', '{"a":1}x', 'NaN']) assert.equal(parseJson(text), undefined, text)
})

test('a text nested more deeply than 256 levels is rejected, however wide it is', () => {
  for (const nest of [lists, objects]) {
    assert.notEqual(parseJson(nest(256)), undefined)
    for (const levels of [257, 5_000, 200_000]) assert.equal(parseJson(nest(levels)), undefined)
    assert.equal(parseJson(`[${'0,'.repeat(1000)}${nest(300)}]`), undefined)
  }
  const wide = Array.from({ length: 100_000 }, () => [1])
  assert.deepEqual(parseJson(JSON.stringify(wide)), wide)
})
