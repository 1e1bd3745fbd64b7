import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/property.ts'
import CONFORMANCE from './data/twitter-text-extract.json' with { type: 'json' }
import { findEntities } from './find-entities.ts'

type Case = { readonly text: string; readonly expected: readonly unknown[] }
type Entities = ReturnType<typeof findEntities>

const NAMES: readonly [readonly Case[], (found: Entities) => readonly string[]][] = [
  [CONFORMANCE.mentions, ({ mentions }) => mentions.map(({ username }) => username)],
  [CONFORMANCE.hashtags, ({ hashtags }) => hashtags.map(({ tag }) => tag)],
  [CONFORMANCE.hashtags_from_astral, ({ hashtags }) => hashtags.map(({ tag }) => tag)],
  [CONFORMANCE.cashtags, ({ cashtags }) => cashtags.map(({ tag }) => tag)],
  [CONFORMANCE.urls, ({ urls }) => urls.map(({ url }) => url)],
  [CONFORMANCE.tco_urls_with_params, ({ urls }) => urls.map(({ url }) => url)],
]

test('every conformance case of twitter-text for mentions, hashtags, cashtags and URLs passes', () => {
  for (const [cases, read] of NAMES)
    for (const { text, expected } of cases) assert.deepEqual(read(findEntities(text)), expected, text)
})

test('the conformance cases with indices pass', () => {
  const withIndices: readonly [readonly Case[], (found: Entities) => readonly unknown[]][] = [
    [
      CONFORMANCE.hashtags_with_indices,
      ({ hashtags }) => hashtags.map(({ tag, start, end }) => ({ hashtag: tag, indices: [start, end] })),
    ],
    [
      CONFORMANCE.cashtags_with_indices,
      ({ cashtags }) => cashtags.map(({ tag, start, end }) => ({ cashtag: tag, indices: [start, end] })),
    ],
    [
      CONFORMANCE.urls_with_indices,
      ({ urls }) => urls.map(({ url, start, end }) => ({ url, indices: [start, end] })),
    ],
    [
      CONFORMANCE.urls_with_directional_markers,
      ({ urls }) => urls.map(({ url, start, end }) => ({ url, indices: [start, end] })),
    ],
    [
      CONFORMANCE.mentions_with_indices,
      ({ mentions }) =>
        mentions.map(({ username, start, end }) => ({ screen_name: username, indices: [start, end] })),
    ],
  ]
  for (const [cases, read] of withIndices)
    for (const { text, expected } of cases) assert.deepEqual(read(findEntities(text)), expected, text)
})

test('the offsets of an entity slice it out of the code points of its text', () => {
  const part = fc.constantFrom(
    '#日本',
    ' ',
    '👩‍🚀',
    '$TWTR',
    '@who',
    'https://example.com/a?b=c',
    'ä',
    '.',
    '\n',
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const points = [...parts.join('')]
      const { hashtags, mentions, urls } = findEntities(points.join(''))
      for (const { start, end, tag } of hashtags) assert.equal(points.slice(start + 1, end).join(''), tag)
      for (const { start, end, username } of mentions)
        assert.equal(points.slice(start + 1, end).join(''), username)
      for (const { start, end, url } of urls) assert.equal(points.slice(start, end).join(''), url)
    }),
  )
})

test('texts that are slow with naive regexes are processed quickly', () => {
  for (const text of [
    '@'.repeat(5_000),
    '#'.repeat(5_000),
    'a.'.repeat(2_500),
    `http://${'a-'.repeat(2_500)}`,
    '(('.repeat(2_500),
    `example.com/${'('.repeat(5_000)}`,
  ]) {
    const before = process.cpuUsage()
    findEntities(text)
    const { user } = process.cpuUsage(before)
    assert.ok(user < 1_000_000, `${text.slice(0, 20)} took ${user} µs`)
  }
})
