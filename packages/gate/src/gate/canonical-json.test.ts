import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseExactJson } from '@tollbook/flow/json/exact-json'
import { fc } from '@tollbook/testing/property'
import { canonicalPieces } from './canonical-json.ts'

const canonicalJson = (value: unknown) => [...canonicalPieces(value)].join('')

test('canonical JSON sorts members and omits undefined ones', () => {
  assert.equal(
    canonicalJson({ b: [1, 'ä', null], a: { d: undefined, c: true } }),
    '{"a":{"c":true},"b":[1,"ä",null]}',
  )
  assert.equal(canonicalJson({ n: 10n }), '{"n":10n}')
})

test('numbers beyond the precision of a double differ from each other and from objects', () => {
  const written = ['12345678901234567890', '12345678901234567891', '{"rawJSON":"12345678901234567890"}']
  const canonical = written.map((text) => canonicalJson([parseExactJson(text)]))
  assert.deepEqual(
    canonical,
    written.map((text) => `[${text}]`),
  )
})

test('canonical JSON parses back to the original value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)))
    }),
  )
})

test('pieces are short and hold whole characters, so that each can be hashed separately', () => {
  const values = [
    '\u{1f600}'.repeat(100_000),
    `a${'\u{1f600}'.repeat(100_000)}`,
    { a: ['"'.repeat(200_000), 1] },
  ]
  for (const value of values) {
    const pieces = [...canonicalPieces(value)]
    assert.equal(pieces.join(''), JSON.stringify(value))
    assert.ok(pieces.length >= 3)
    // A character is written as six at most.
    for (const piece of pieces) assert.ok(piece.length <= 6 * 65_536 && piece.isWellFormed())
  }
})
