import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, test } from 'node:test'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { loadTokenCounter, type TokenCounter } from './token-count.ts'

let count: TokenCounter
before(async () => {
  count = await loadTokenCounter()
})

test('token counts match the encoding', () => {
  for (const text of [
    '',
    'Hello, how are you today?',
    'The quick brown fox jumps over the lazy dog.',
    'Der Löwenzahn blüht früh im Jahr, und die Bienen freuen sich.',
    '今天天气很好，我们去公园散步吧。',
    'Well done 👍 see you 😀',
    'not a control token: <|endoftext|>',
  ]) {
    assert.equal(count(text), countTokens(text, { disallowedSpecial: new Set() }), text)
  }
})

test('counts of long documents are within a tenth, of source code within a sixth', () => {
  for (const [path, tolerance] of [
    ['LICENSE', 1 / 10],
    ['docs/operate.md', 1 / 10],
    ['packages/gate/src/gate/gate.ts', 1 / 6],
  ] as const) {
    const text = readFileSync(path, 'utf8')
    const ratio = count(text) / countTokens(text)
    assert.ok(Math.abs(ratio - 1) < tolerance, `${path}: ${ratio}`)
  }
})

// Without splitting, the first alone takes 23 seconds.
test('no text of 200 KB takes long: one letter, emoji, letters without a space', () => {
  // o200k encodes eight letters a as one token, and each of these emoji too.
  assert.equal(count('a'.repeat(200_000)), 25_000)
  assert.ok(Math.abs(count('😀'.repeat(50_000)) - 50_000) < 500)
  // Random letters have about two per token.
  const letters = Array.from({ length: 20_000 }, (_, at) => String.fromCharCode(97 + ((at * at * 31) % 26)))
  assert.ok(count(letters.join('').repeat(10)) > 50_000)
})
