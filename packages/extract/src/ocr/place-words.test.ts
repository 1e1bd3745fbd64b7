import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeWords } from './place-words.ts'

const PIECE = { left: 10, top: 0, right: 60, bottom: 20, letter: 20, baseline: 20, letters: 5 }

function read(...texts: readonly string[]): readonly string[] {
  const at = { left: 0, top: 0, right: 100, bottom: 40 }
  const words = texts.map((text, x) => ({
    text,
    confidence: 90,
    bbox: { x0: 30 * x, y0: 0, x1: 30 * x + 20, y1: 40 },
  }))
  return placeWords([{ piece: PIECE, at }], words).flatMap((piece) => piece.words.map(({ text }) => text))
}

test('a price that stands alone is one word, also with space after its point', () => {
  assert.deepEqual(read('4.', '80'), ['4.80'])
  assert.deepEqual(read('RM20.', '40'), ['RM20.40'])
})

test('a number of a list, and a sentence that ends in a number, keep their space', () => {
  assert.deepEqual(read('3.', '50', 'ways'), ['3.', '50', 'ways'])
  assert.deepEqual(read('In', '1999.', '20'), ['In', '1999.', '20'])
  assert.deepEqual(read('4.', '800'), ['4.', '800'])
})

test('words are placed in the image of the piece, not in the enlarged one', () => {
  const at = { left: 0, top: 0, right: 100, bottom: 40 }
  const word = { text: 'a', confidence: 90, bbox: { x0: 20, y0: 0, x1: 40, y1: 40 } }
  const [read] = placeWords([{ piece: PIECE, at }], [word])
  // Half as large: 20 / 2 and 40 / 2 to the right of 10.
  assert.deepEqual(read?.words, [{ text: 'a', confidence: 90, left: 20, right: 30 }])
})
