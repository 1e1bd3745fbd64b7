import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { loadO200k } from './count-o200k.ts'

let count: (text: string) => number
before(async () => {
  count = await loadO200k()
})

// Control tokens as plain text.
const wanted = (text: string) => countTokens(text, { disallowedSpecial: new Set() })

test('any text has as many tokens as in the package gpt-tokenizer', () => {
  const texts = [
    fc.string({ maxLength: 60 }),
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.string({ unit: 'binary', maxLength: 60 }),
    // Half of a pair of surrogates becomes the replacement character.
    fc
      .array(fc.integer({ min: 0xd7f0, max: 0xe010 }), { maxLength: 9 })
      .map((codes) => String.fromCharCode(...codes)),
    fc.array(fc.constantFrom(...' \t\n\r/.,-_0123456789'), { maxLength: 30 }).map((parts) => parts.join('')),
    fc
      .array(
        fc.constantFrom(
          "I'M ",
          "we'Ll",
          " they're",
          "it's",
          'snake_case',
          'CamelCase',
          '<|endoftext|>',
          'ß',
          'Ǆ',
          'é',
        ),
      )
      .map((parts) => parts.join('')),
  ]
  fc.assert(
    fc.property(fc.oneof(...texts), (text) => {
      assert.equal(count(text), wanted(text), JSON.stringify(text))
    }),
    { numRuns: 3_000 },
  )
})

test('documents, code and JSON have as many tokens as in the package gpt-tokenizer', () => {
  for (const path of [
    'README.md',
    'LICENSE',
    'docs/problems.md',
    'packages/gate/src/gate/gate.ts',
    'package.json',
  ]) {
    const text = readFileSync(path, 'utf8')
    assert.equal(count(text), wanted(text), path)
  }
})

test('what https://platform.openai.com/tokenizer shows: a word, two words, and eight letters a', () => {
  assert.deepEqual(['', 'hello', 'hello world', 'aaaaaaaa'].map(count), [0, 1, 2, 1])
})
