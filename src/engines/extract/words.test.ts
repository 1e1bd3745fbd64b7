import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/property.ts'
import { countWords, similarityOf, toWordBag } from './words.ts'

test('words are runs of letters and digits in any script', () => {
  assert.equal(countWords("It's 12 m: приве́т, 世界 snake_case"), 7)
})

test('similarity is twice the number of common words divided by the words of both texts', () => {
  // Common: the, sea; 3 words and 5 words: 2 * 2 / 8.
  assert.equal(similarityOf(toWordBag('the sea is'), toWordBag('the the wide blue sea')), 0.5)
  assert.equal(similarityOf(toWordBag(''), toWordBag('')), 1)
  assert.equal(similarityOf(toWordBag('a'), toWordBag('')), 0)
})

test('similarity is symmetric, and 1 for a text with itself', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, other) => {
      const [first, second] = [toWordBag(one), toWordBag(other)]
      assert.equal(similarityOf(first, second), similarityOf(second, first))
      assert.equal(similarityOf(first, first), 1)
    }),
  )
})
