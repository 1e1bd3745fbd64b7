import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { splitSentences } from './split-sentences.ts'

test('sentences end where a reader would end them, not at titles, initials and abbreviations', () => {
  const split = (text: string) => splitSentences(text, 'en')
  assert.deepEqual(split('Dr. Smith met Mr. J. R. Jones. They spoke.'), [
    'Dr. Smith met Mr. J. R. Jones.',
    'They spoke.',
  ])
  assert.deepEqual(split('It costs $4.50 at Acme Inc. today. Really? Yes!'), [
    'It costs $4.50 at Acme Inc. today.',
    'Really?',
    'Yes!',
  ])
  assert.deepEqual(split('See e.g. Fig. 3 of vol. 2. It shows cats, dogs, etc. Then it ends.'), [
    'See e.g. Fig. 3 of vol. 2.',
    'It shows cats, dogs, etc.',
    'Then it ends.',
  ])
})

test('other languages are split by their own punctuation', () => {
  assert.deepEqual(splitSentences('潮は月に引かれる。太陽も引く。', 'ja'), [
    '潮は月に引かれる。',
    '太陽も引く。',
  ])
  assert.deepEqual(splitSentences('Das gilt z.B. am Meer bzw. an der See. Sonst nicht.', 'de'), [
    'Das gilt z.B. am Meer bzw. an der See.',
    'Sonst nicht.',
  ])
})

test('a German ordinal before a month or a noun, and a spaced abbreviation, do not end a sentence', () => {
  for (const sentence of [
    'Amtierender Bundeskanzler ist seit dem 6. Mai 2025 Friedrich Merz.',
    'Das Restaurant im 6. Stock ist seit dem 18. Jahrhundert bekannt.',
    'Er gehört der CDU an, z. B. als Vorsitzender.',
    'Oktober heißt er seit dem 24. Oktober 2021.',
  ])
    for (const lang of ['de', null]) assert.deepEqual(splitSentences(sentence, lang), [sentence])
  assert.deepEqual(splitSentences('Sie kam auf Platz 3. Der Preis war hoch.', 'de'), [
    'Sie kam auf Platz 3.',
    'Der Preis war hoch.',
  ])
})

test('an abbreviation with full stops ends a sentence only before a word that begins one', () => {
  assert.deepEqual(splitSentences('He left the U.S. Senate. She moved to the U.S. The end was near.', 'en'), [
    'He left the U.S. Senate.',
    'She moved to the U.S.',
    'The end was near.',
  ])
})

test('citations and closing quotes belong to the sentence before them, direct speech begins one', () => {
  assert.deepEqual(splitSentences('It grew.[267] Just over half left.[1]: 207 The rest stayed.', 'en'), [
    'It grew.[267]',
    'Just over half left.[1]: 207',
    'The rest stayed.',
  ])
  assert.deepEqual(splitSentences('„Nic takiego. – Czekaj tu.', 'pl'), ['„Nic takiego.', '– Czekaj tu.'])
  assert.deepEqual(splitSentences('Il dit « non. » Elle part.', 'fr'), ['Il dit « non. »', 'Elle part.'])
})

test('the number of an item belongs to it', () => {
  assert.deepEqual(splitSentences('It follows. 907. Distance of the houses is fixed.', 'en'), [
    'It follows.',
    '907. Distance of the houses is fixed.',
  ])
})

test('no text is lost, whatever the text and the language tag are', () => {
  const piece = fc.constantFrom('Mr. ', 'A', '. ', ' b', '! ', '月。', ' ', '\n', 'etc. ', '"', 'U.S. ')
  fc.assert(
    fc.property(fc.array(piece), fc.constantFrom('en', 'ja', null, 'not a language'), (pieces, lang) => {
      const text = pieces.join('')
      assert.equal(splitSentences(text, lang).join('').replace(/\s/g, ''), text.replace(/\s/g, ''))
    }),
  )
})
