import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countLineLetters, isLine, looksLikeDocument } from './find-lines.ts'

function toPiece({ height, letters }: { readonly height: number; readonly letters: number }) {
  return { left: 0, top: 0, right: 100, bottom: height, letter: 10, baseline: height, letters }
}

const LINE = toPiece({ height: 14, letters: 20 })
const LEAVES = toPiece({ height: 45, letters: 20 })

test('a line is about as high as its letters', () => {
  assert.equal(isLine(LINE), true)
  assert.equal(isLine(LEAVES), false)
})

test('a document is an image of which four pieces in five are lines', () => {
  assert.equal(looksLikeDocument([LINE, LINE, LINE, LINE, LEAVES]), true)
  assert.equal(looksLikeDocument([LINE, LINE, LINE, LEAVES]), false)
  assert.equal(looksLikeDocument([]), false)
})

test('single letters and what is over each other do not count as letters of lines', () => {
  assert.equal(countLineLetters([LINE, LEAVES, toPiece({ height: 10, letters: 1 })]), 20)
})
