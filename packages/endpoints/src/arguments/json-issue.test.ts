import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { findJsonIssue } from './json-issue.ts'

const BOUNDS = { levels: 5, values: 10 }
const OPEN = { levels: 1000, values: 1_000_000 }

test('values on all levels are counted together, and those inside strings are not counted', () => {
  assert.equal(findJsonIssue(`[${'0,'.repeat(8)}0]`, BOUNDS), null)
  const issue = 'has more than 10 values'
  assert.equal(findJsonIssue(`[${'0,'.repeat(10)}0]`, BOUNDS), issue)
  assert.equal(findJsonIssue('[[[0,0,0],[0,0,0],[0,0,0]]]', BOUNDS), issue)
  assert.equal(findJsonIssue('['.repeat(5) + '{},'.repeat(5), { levels: 9, values: 10 }), issue)
  assert.equal(findJsonIssue(`["${'0,[{'.repeat(50)}","\\"${',{'.repeat(50)}"]`, BOUNDS), null)
})

test('a text that is not valid JSON is scanned to its end', () => {
  for (const text of ['', '"', '"\\', '[', ']]]]', '"\\u', '{"__proto__', '"\\u005f_proto_\\"', ',,,'])
    assert.equal(findJsonIssue(text, BOUNDS), null, text)
})

test('the key __proto__ is detected in every spelling, and only as a key', () => {
  // Each letter literally, or with lower-case or upper-case hex digits: 3 ** 9 spellings.
  const letter = (one: string) => {
    const hex = one.charCodeAt(0).toString(16).padStart(4, '0')
    return fc.constantFrom(one, `\\u${hex}`, `\\u${hex.toUpperCase()}`)
  }
  const spelling = fc.tuple(...[...'__proto__'].map(letter)).map((letters) => letters.join(''))
  fc.assert(
    fc.property(spelling, fc.constantFrom('', ' ', '\n\t'), (name, space) => {
      assert.match(findJsonIssue(`{"a":[{"${name}"${space}:1}]}`, OPEN) ?? '', /__proto__$/)
      assert.equal(findJsonIssue(`{"a":"${name}","b":["${name}"]}`, OPEN), null)
    }),
  )
  for (const key of [
    '__proto',
    '__proto__x',
    'a__proto__',
    '\\"__proto__',
    '__proto__\\"',
    '\\u005f_protO__',
  ])
    assert.equal(findJsonIssue(`{"${key}":1}`, OPEN), null, key)
})

test('JSON within the bounds has no issue', () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 4 }).filter((value) => !JSON.stringify(value).includes('__proto__')),
      (value) => assert.equal(findJsonIssue(JSON.stringify(value, null, 1), OPEN), null),
    ),
  )
})
