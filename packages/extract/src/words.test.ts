import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countWords } from './words.ts'

test('words are runs of letters and digits in any script', () => {
  assert.equal(countWords("It's 12 m: приве́т, 世界 snake_case"), 7)
})
