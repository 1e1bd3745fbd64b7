import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOutputBound } from './output-bound.ts'

/** Words count as tokens. */
const countTokens = (text: string) => text.split(' ').length - 1

test('an answer exceeds its bound with the first token beyond 1.5 times as many plus 16', () => {
  const bound = createOutputBound(100, countTokens)
  const passedAt = Array.from({ length: 400 }, () => bound.isPassedWith(' word')).indexOf(true)
  // 100 x 1.5 + 16 = 166 words are allowed; the 167th has the index 166.
  assert.equal(passedAt, 166)
})

test('text is counted only if its bytes could be too many tokens', () => {
  let countedUnits = 0
  const bound = createOutputBound(1_000, (text) => {
    countedUnits += text.length
    return countTokens(text)
  })
  // 300 words of 5 bytes are 1,500 bytes: below the 1,516 tokens that are allowed, whatever their content.
  for (let word = 0; word < 300; word += 1) assert.equal(bound.isPassedWith(' word'), false)
  assert.equal(countedUnits, 0)
  for (let word = 300; word < 1_516; word += 1) assert.equal(bound.isPassedWith(' word'), false)
  // No text is counted twice.
  assert.ok(countedUnits <= 1_516 * 5)
})

test('without a bound in the request no answer exceeds it', () => {
  const bound = createOutputBound(undefined, () => assert.fail('nothing is counted'))
  assert.equal(bound.isPassedWith(' word'.repeat(100_000)), false)
})
