import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import CONFORMANCE from './data/twitter-text-extract.json' with { type: 'json' }
import { findHashtags, findMentions, findUrls, type TextSpan } from './find-entities.ts'

type Case = { readonly text: string; readonly expected: readonly unknown[] }

const NAMES: readonly [readonly Case[], (text: string) => readonly string[]][] = [
  [CONFORMANCE.mentions, findMentions],
  [CONFORMANCE.hashtags, (text) => findHashtags(text).map(({ tag }) => tag)],
  [CONFORMANCE.hashtags_from_astral, (text) => findHashtags(text).map(({ tag }) => tag)],
  [CONFORMANCE.urls, (text) => findUrls(text).map(({ url }) => url)],
  [CONFORMANCE.tco_urls_with_params, (text) => findUrls(text).map(({ url }) => url)],
]

test('every conformance case of twitter-text for mentions, hashtags and URLs passes', () => {
  for (const [cases, read] of NAMES)
    for (const { text, expected } of cases) assert.deepEqual(read(text), expected, text)
})

/** The suite counts code points. */
function indicesOf(text: string, { start, end }: TextSpan): readonly number[] {
  return [start, end].map((unit) => [...text.slice(0, unit)].length)
}

test('a URL ends with a top-level domain of ICANN, also where words of other scripts follow it', () => {
  const urlsOf = (text: string) => findUrls(text).map(({ url }) => url)
  assert.deepEqual(urlsOf('see foo.com.zz/x, foo.zz and foo.co.za/x'), ['foo.com', 'foo.co.za/x'])
  assert.deepEqual(urlsOf('http://日本.中国です'), ['http://日本.中国'])
  assert.deepEqual(urlsOf('日本example.comです'), ['example.com'])
  assert.deepEqual(urlsOf('an end.https://t.co/abc'), ['https://t.co/abc'])
})

test('the conformance cases with indices pass', () => {
  const hashtagsOf = (text: string) =>
    findHashtags(text).map((found) => ({ hashtag: found.tag, indices: indicesOf(text, found) }))
  const urlsOf = (text: string) =>
    findUrls(text).map((found) => ({ url: found.url, indices: indicesOf(text, found) }))
  const withIndices: readonly [readonly Case[], (text: string) => readonly unknown[]][] = [
    [CONFORMANCE.hashtags_with_indices, hashtagsOf],
    [CONFORMANCE.urls_with_indices, urlsOf],
    [CONFORMANCE.urls_with_directional_markers, urlsOf],
  ]
  for (const [cases, read] of withIndices)
    for (const { text, expected } of cases) assert.deepEqual(read(text), expected, text)
})

test('the offsets of an entity slice it out of its text', () => {
  const part = fc.constantFrom('#日本', ' ', '👩‍🚀', '@who', 'https://example.com/a?b=c', 'ä', '.', '\n')
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const text = parts.join('')
      for (const { start, end, tag } of findHashtags(text)) assert.equal(text.slice(start + 1, end), tag)
      for (const { start, end, url } of findUrls(text)) assert.equal(text.slice(start, end), url)
    }),
  )
})

test('texts that are slow with naive regexes are processed quickly', () => {
  for (const text of [
    '@'.repeat(5_000),
    '#'.repeat(5_000),
    'a.'.repeat(12_500),
    '日.'.repeat(8_000),
    'a_b.'.repeat(5_000),
    `http://${'a-'.repeat(2_500)}`,
    '(('.repeat(2_500),
    `example.com/${'('.repeat(5_000)}`,
  ]) {
    const before = process.cpuUsage()
    findMentions(text)
    findHashtags(text)
    findUrls(text)
    const { user } = process.cpuUsage(before)
    assert.ok(user < 1_000_000, `${text.slice(0, 20)} took ${user} µs`)
  }
})
