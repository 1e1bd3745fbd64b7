import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/property.ts'
import { findJsonFault } from './json-fault.ts'

const BOUNDS = { levels: 5, values: 10 }
const OPEN = { levels: 1000, values: 1_000_000 }

test('values on all levels are counted together, and those inside strings are not counted', () => {
  assert.equal(findJsonFault(`[${'0,'.repeat(8)}0]`, BOUNDS), null)
  const fault = 'has more than 10 values'
  assert.equal(findJsonFault(`[${'0,'.repeat(10)}0]`, BOUNDS), fault)
  assert.equal(findJsonFault('[[[0,0,0],[0,0,0],[0,0,0]]]', BOUNDS), fault)
  assert.equal(findJsonFault('['.repeat(5) + '{},'.repeat(5), { levels: 9, values: 10 }), fault)
  assert.equal(findJsonFault(`["${'0,[{'.repeat(50)}","\\"${',{'.repeat(50)}"]`, BOUNDS), null)
})

test('a text that is not valid JSON is scanned to its end', () => {
  for (const text of ['', '"', '"\\', '[', ']]]]', '"\\u', '{"__proto__', '"\\u005f_proto_\\"', ',,,'])
    assert.equal(findJsonFault(text, BOUNDS), null, text)
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
      assert.match(findJsonFault(`{"a":[{"${name}"${space}:1}]}`, OPEN) ?? '', /__proto__$/)
      assert.equal(findJsonFault(`{"a":"${name}","b":["${name}"]}`, OPEN), null)
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
    assert.equal(findJsonFault(`{"${key}":1}`, OPEN), null, key)
})

test('JSON within the bounds has no fault', () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 4 }).filter((value) => !JSON.stringify(value).includes('__proto__')),
      (value) => assert.equal(findJsonFault(JSON.stringify(value, null, 1), OPEN), null),
    ),
  )
})
