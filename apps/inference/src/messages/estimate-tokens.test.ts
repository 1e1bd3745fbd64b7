import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadTokenCounter } from '@tollbook/models/token-count'
import { estimateTokens } from './estimate-tokens.ts'

const requestOf = (texts: readonly string[]) => ({
  messages: texts.map((content) => ({ role: 'user' as const, content })),
})

test('the texts of a request are counted together, within the bounds of one', async () => {
  const counted: string[] = []
  estimateTokens(requestOf(['one', 'two', 'three']), (text) => counted.push(text))
  assert.deepEqual(counted, ['one\ntwo\nthree'])
  const countTokens = await loadTokenCounter()
  assert.equal(estimateTokens(requestOf(['Say hello.']), countTokens), 3)
  // hello, a full stop, the line break between, hello, a full stop.
  assert.equal(estimateTokens(requestOf(['hello.', 'hello.']), countTokens), 5)
})
