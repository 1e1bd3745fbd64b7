import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/property.ts'
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

test('no text is lost, whatever the text and the language tag are', () => {
  const piece = fc.constantFrom('Mr. ', 'A', '. ', ' b', '! ', '月。', ' ', '\n', 'etc. ', '"', 'U.S. ')
  fc.assert(
    fc.property(fc.array(piece), fc.constantFrom('en', 'ja', null, 'not a language'), (pieces, lang) => {
      const text = pieces.join('')
      assert.equal(splitSentences(text, lang).join('').replace(/\s/g, ''), text.replace(/\s/g, ''))
    }),
  )
})
