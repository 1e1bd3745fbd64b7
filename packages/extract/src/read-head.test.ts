import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHead } from './read-head.ts'

const URL_OF_PAGE = 'https://example.com/a/post'
const ld = (data: unknown) => `<script type="application/ld+json">${JSON.stringify(data)}</script>`
const read = (head: string) => readHead(`<html><head>${head}</head></html>`, URL_OF_PAGE)

test('JSON-LD of an article takes precedence over older tags', () => {
  const head = read(
    `${ld({
      '@graph': [
        { '@type': 'WebSite', name: 'Sea' },
        {
          '@type': ['NewsArticle'],
          headline: 'Tides',
          datePublished: '2026-05-02T10:00:00+02:00',
          author: [{ '@type': 'Person', name: 'Ann' }, { name: 'Bo' }],
          publisher: { name: 'The Sea' },
          image: ['/one.png', '/two.png'],
        },
      ],
    })}<meta name=author content=Nobody><title>Tides | Sea</title>`,
  )
  assert.deepEqual(
    [head.title, head.byline, head.siteName, head.publishedAt, head.image],
    ['Tides', 'Ann, Bo', 'The Sea', '2026-05-02T08:00:00.000Z', 'https://example.com/one.png'],
  )
  assert.deepEqual(head.types, ['website', 'newsarticle'])
})

test('tags are read if there is no JSON-LD, and dates without a zone are UTC', () => {
  const head = read(`<title> A&amp;B </title><meta name=Author content=" Ann  Writer ">
    <meta property="article:published_time" content="2026-05-02 10:00:00"><meta property="og:locale" content="de_CH">
    <meta property="og:type" content="Article"><meta property="og:image" content="../i.png">`)
  assert.deepEqual(head, {
    title: 'A&B',
    byline: 'Ann Writer',
    siteName: null,
    lang: 'de-CH',
    description: null,
    publishedAt: '2026-05-02T10:00:00.000Z',
    modifiedAt: null,
    canonicalUrl: null,
    image: 'https://example.com/i.png',
    baseUrl: URL_OF_PAGE,
    types: ['article'],
  })
})

test('a day stays a day, and an invalid date is null', () => {
  assert.equal(read('<meta name=date content="2026-05-02">').publishedAt, '2026-05-02T00:00:00.000Z')
  for (const date of ['yesterday', '2026-13-45', ''])
    assert.equal(read(`<meta name=date content="${date}">`).publishedAt, null, date)
})

test('dates in the text are read: microdata, a marked time, or the only time of the page', () => {
  const dates = (html: string) => {
    const { publishedAt, modifiedAt } = read(html)
    return [publishedAt, modifiedAt].map((date) => date?.slice(0, 10) ?? null)
  }
  const other = '<time datetime="2020-01-01">then</time>'
  assert.deepEqual(
    dates(`${other}<time itemprop="datePublished" datetime="2019-07-01 16:45:00">1 July</time>
      <span itemprop="dateModified" content="2019-07-02">2 July</span>`),
    ['2019-07-01', '2019-07-02'],
  )
  assert.deepEqual(dates(`${other}<time pubdate datetime="2019-07-01">1 July</time>`), ['2019-07-01', null])
  assert.deepEqual(dates(other), ['2020-01-01', null])
  assert.deepEqual(dates(`${other}<time datetime="2021-01-01">now</time>`), [null, null])
})

test('the canonical URL and the date of the last change are read', () => {
  const head = read(
    '<link rel=canonical href=/b><meta property="article:modified_time" content="2026-05-03">',
  )
  assert.deepEqual(
    [head.canonicalUrl, head.modifiedAt],
    ['https://example.com/b', '2026-05-03T00:00:00.000Z'],
  )
})

test('endless nesting and images with script URLs are skipped', () => {
  let name: unknown = 'deep'
  for (let depth = 0; depth < 2_000; depth += 1) name = { name }
  const head = read(
    `${ld({ '@type': 'Article', author: name })}<meta property="og:image" content="javascript:x">`,
  )
  assert.deepEqual([head.byline, head.image], [null, null])
})
