import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { toEntities } from './to-entities.ts'

const idOf = (uri: string) => `id of ${uri}`
const mark = (byteStart: number, byteEnd: number, $type: string, value: object) => ({
  index: { byteStart, byteEnd },
  features: [{ $type: `app.bsky.richtext.facet#${$type}`, ...value }],
})

test('offsets in bytes of UTF-8 become offsets in code points', () => {
  // Bytes: 👍 4, space 1, then @jun.test 9 from 5, space, é 2, space, #café 6 from 18, space, bsky.app 8 from 25.
  const text = '👍 @jun.test é #café bsky.app $TEA'
  const entities = toEntities(
    text,
    [
      mark(25, 33, 'link', { uri: 'https://bsky.app/about' }),
      mark(18, 24, 'tag', { tag: 'café' }),
      mark(5, 14, 'mention', { did: 'did:plc:jun' }),
      mark(34, 38, 'tag', { tag: '$TEA' }),
    ],
    idOf,
  )
  const url = 'https://bsky.app/about'
  assert.deepEqual(entities, {
    hashtags: [{ start: 14, end: 19, tag: 'café' }],
    cashtags: [{ start: 29, end: 33, tag: 'TEA' }],
    mentions: [{ start: 2, end: 11, username: 'jun.test', id: 'id of did:plc:jun' }],
    urls: [{ start: 20, end: 28, url, expanded_url: url, display_url: 'bsky.app' }],
  })
  assert.equal([...text].slice(14, 19).join(''), '#café')
})

test('facets that split a character, exceed the text or end before they begin are omitted', () => {
  const wrong = [
    mark(1, 4, 'tag', { tag: 'a' }),
    mark(0, 99, 'tag', { tag: 'a' }),
    mark(5, 5, 'tag', { tag: 'a' }),
    mark(-1, 4, 'tag', { tag: 'a' }),
    mark(0, 4, 'mention', { did: 'jun' }),
    mark(0, 4, 'mention', { did: 'did:plc:\u0000' }),
    mark(0, 4, 'mention', { did: `did:plc:${'a'.repeat(3000)}` }),
    mark(0, 4, 'unknown', { tag: 'a' }),
    { index: null },
    'text',
  ]
  assert.equal(toEntities('👍 tea', wrong, idOf), undefined)
})

test('facets with byte offsets have the right code points in every text', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'grapheme', minLength: 1 }),
      (before, word) => {
        const start = Buffer.byteLength(before)
        const provided = [mark(start, start + Buffer.byteLength(word), 'tag', { tag: 'a' })]
        const [hashtag] = toEntities(`${before}${word}!`, provided, idOf)?.hashtags ?? []
        assert.equal([...`${before}${word}!`].slice(hashtag?.start, hashtag?.end).join(''), word)
      },
    ),
  )
})
