import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { readQueryPairs } from './query-pairs.ts'

test('pairs of any query equal those of URLSearchParams', () => {
  const piece = fc.constantFrom(
    'a',
    'id',
    '=',
    '&',
    '+',
    '%41',
    '%',
    '%ff',
    'ü',
    '日本',
    '\u{1f375}',
    '?',
    '/',
    '1',
  )
  const query = fc.oneof(
    fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
    fc.string({ unit: 'grapheme' }),
  )
  fc.assert(
    fc.property(query, (text) =>
      assert.deepEqual([...readQueryPairs(text)], [...new URLSearchParams(`?${text}`)]),
    ),
    { numRuns: 400 },
  )
})
