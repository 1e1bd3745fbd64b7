import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { Parser } from 'htmlparser2'
import type { Voice } from '../../voices/voice.ts'
import { toAzureSsml } from './azure.ts'
import { toPollyRequest } from './polly.ts'

const voice: Voice = {
  id: 'azure.en-US-JennyNeural',
  provider: 'azure',
  name: 'Jenny',
  model: 'Neural',
  language: 'en-US',
  languages: ['en-US'],
  gender: 'female',
  sample_rate: 24_000,
  hosted: false,
  styles: [],
  sample_url: null,
}

/** What an XML reader sees: the elements in order, and the text in them. */
function read(document: string) {
  const elements: string[] = []
  let text = ''
  const parser = new Parser(
    {
      onopentag: (name) => elements.push(name),
      ontext: (part) => {
        text += part
      },
      oncomment: () => elements.push('comment'),
      oncdatastart: () => elements.push('cdata'),
      onprocessinginstruction: (name) => elements.push(name),
    },
    { xmlMode: true, decodeEntities: true },
  )
  parser.end(document)
  return { elements, text }
}

/** Characters that XML 1.0 section 2.2 forbids are spoken as a space. */
const toCharacters = (text: string) =>
  [...text.toWellFormed()]
    .map((character) =>
      /[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(character) ? character : ' ',
    )
    .join('')

const markup = fc.constantFrom(
  '</prosody></voice></speak>',
  '<break time="10s"/>',
  '&lt;',
  '&amp;',
  '&#60;',
  ']]>',
  '<![CDATA[',
  '<!--',
  '-->',
  '<?xml?>',
  '<audio src="http://127.0.0.1/"/>',
  '"',
  "'",
  '\0',
  '\ud800',
  '\uffff',
)
const text = fc
  .array(fc.oneof(markup, fc.string({ unit: 'binary' }), fc.string()), { maxLength: 8 })
  .map((parts) => parts.join(''))

test('no text breaks out of the markup around it', () => {
  fc.assert(
    fc.property(text, fc.constantFrom(0.5, 1, 1.25), (words, speed) => {
      const azure = toAzureSsml({ voice, text: words, speed })
      assert.deepEqual(read(azure), {
        elements: speed === 1 ? ['speak', 'voice'] : ['speak', 'voice', 'prosody'],
        text: toCharacters(words),
      })
      const order = {
        voice: { ...voice, id: 'polly.neural.Joanna' },
        text: words,
        speed,
        format: 'mp3',
      } as const
      const polly = toPollyRequest(order)
      if (speed === 1) return assert.deepEqual([polly.TextType, polly.Text], ['text', words.toWellFormed()])
      assert.deepEqual(read(polly.Text), { elements: ['speak', 'prosody'], text: toCharacters(words) })
    }),
  )
})

test("only XML's own references are used, and no unescaped markup character is left", () => {
  fc.assert(
    fc.property(text, (words) => {
      const inside = toAzureSsml({ voice, text: words, speed: 1 }).split(/<voice [^>]*>|<\/voice>/)[1] ?? ''
      assert.doesNotMatch(inside, /[<>"']|&(?!(amp|lt|gt|quot|apos);)/)
    }),
  )
})

test('a voice name is escaped and cannot add markup', () => {
  const named = { ...voice, id: 'azure.x"/><break time="10s' }
  assert.deepEqual(read(toAzureSsml({ voice: named, text: 'a', speed: 1 })).elements, ['speak', 'voice'])
})
