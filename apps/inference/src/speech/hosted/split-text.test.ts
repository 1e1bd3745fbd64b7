import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { splitText } from './split-text.ts'

test('the pieces are the text, and none has too many bytes', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.integer({ min: 4, max: 40 }),
      (text, max) => {
        const pieces = splitText(text.toWellFormed(), max)
        assert.equal(pieces.join(''), text.toWellFormed())
        for (const piece of pieces) assert.ok(Buffer.byteLength(piece) <= max, piece)
      },
    ),
  )
})

test('sentences stay whole where they fit, then words, then characters', () => {
  assert.deepEqual(splitText('One is. Two is. Three is.', 16), ['One is. Two is. ', 'Three is.'])
  assert.deepEqual(splitText('a longer sentence', 9), ['a longer ', 'sentence'])
  // Two Greek letters are four bytes.
  assert.deepEqual(splitText('αβγδ', 4), ['αβ', 'γδ'])
})
