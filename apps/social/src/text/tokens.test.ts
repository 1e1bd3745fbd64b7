import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { tokensOf, toPhrase } from './tokens.ts'

test('words lose case, accents and punctuation', () => {
  assert.deepEqual(tokensOf("Café, ÉCOLE! don't #Bread @Jun_S $TEA 50%"), [
    'cafe',
    'ecole',
    'don',
    't',
    'bread',
    'jun_s',
    'tea',
    '50',
  ])
  assert.deepEqual(tokensOf('Ｆｕｌｌ ｗｉｄｔｈ ﬁne'), ['full', 'width', 'fine'])
})

test('scripts without spaces become overlapping pairs, and the last character is a token of its own', () => {
  assert.deepEqual(tokensOf('日本語'), ['日本', '本語', '語'])
  assert.deepEqual(tokensOf('土'), ['土'])
  assert.deepEqual(tokensOf('iPhoneを買う'), ['iphone', 'を買', '買う', 'う'])
  assert.deepEqual(tokensOf('한국어'), ['한국', '국어', '어'])
  assert.deepEqual(tokensOf('コーヒー'), ['コー', 'ーヒ', 'ヒー', 'ー'])
})

test('an emoji with its modifiers is one token, and digits are not emoji', () => {
  assert.deepEqual(tokensOf('☕'), ['e_2615'])
  assert.deepEqual(tokensOf('👩‍🚀👍🏽'), ['e_1f469_200d_1f680', 'e_1f44d_1f3fd'])
  assert.deepEqual(tokensOf('7 #'), ['7'])
  assert.deepEqual(tokensOf('1️⃣st #️⃣ 7️'), ['e_31_fe0f_20e3', 'st', 'e_23_fe0f_20e3', '7️'])
})

test('marks of Indic scripts stay within their words, and Thai is segmented', () => {
  assert.deepEqual(tokensOf('हिन्दी भाषा'), ['हिन्दी', 'भाषा'])
  assert.deepEqual(tokensOf('ภาษาไทย'), ['ภาษา', 'ไทย'])
})

test('a phrase that ends in CJK may match the beginning of a longer run', () => {
  assert.deepEqual(toPhrase('日本'), { tokens: ['日本'], isOpen: false })
  assert.deepEqual(toPhrase('日'), { tokens: ['日'], isOpen: true })
  assert.deepEqual(toPhrase('tea 日'), { tokens: ['tea', '日'], isOpen: true })
  assert.deepEqual(toPhrase('日本 tea'), { tokens: ['日本', '本', 'tea'], isOpen: false })
  assert.equal(toPhrase('!!'), null)
})

test('an ASCII text has the same tokens by itself as before a character of another script', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii', maxLength: 40 }), (text) => {
      assert.deepEqual(tokensOf(`${text} 日`), [...tokensOf(text), '日'])
    }),
  )
})

test('every part of a run of CJK characters is found in its tokens', () => {
  const sign = fc.constantFrom('日', '本', '語', 'の', '本')
  fc.assert(
    fc.property(
      fc.array(sign, { minLength: 1, maxLength: 12 }),
      fc.nat(),
      fc.nat(),
      (signs, from, length) => {
        const start = from % signs.length
        const part = signs.slice(start, start + 1 + (length % signs.length)).join('')
        const phrase = toPhrase(part)
        assert.ok(phrase)
        const tokens = tokensOf(signs.join(''))
        const stands = tokens.some((_, at) =>
          phrase.tokens.every((token, offset) => {
            const found = tokens[at + offset]
            const isLast = offset === phrase.tokens.length - 1
            return phrase.isOpen && isLast ? found?.startsWith(token) : found === token
          }),
        )
        assert.ok(stands, `${part} in ${signs.join('')}`)
      },
    ),
  )
})
