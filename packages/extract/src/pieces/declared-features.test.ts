import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTree } from '../html-tree.ts'
import { readHead } from '../read-head.ts'
import { analysePage } from './analyse-page.ts'
import { declaredFeatures, insideFeatures } from './declared-features.ts'
import { type PreparedPage, preparePage } from './prepare-page.ts'

function view(html: string, url: string): PreparedPage {
  const head = readHead(html, url)
  return preparePage(
    analysePage(parseTree(html), {
      url,
      head,
      declared: { texts: [], lines: [], prices: [] },
      pageType: 'article',
    }),
  )
}

test('declared types and the form of the URL are features of a page', () => {
  const html =
    '<title>How tides turn</title><meta property="og:type" content="article">' +
    '<script type="application/ld+json">{"@type":"NewsArticle"}</script><p>x</p>'
  const features = declaredFeatures(
    view(html, 'https://example.com/sea/2026/05/how-tides-7-turn.html?ref=a'),
  )(0)
  // Declared: article, news, not a blog, not a site; two types. The path has four parts; the last has three
  // words and 16 letters and signs. 7 digits in total, a date, a file extension, a query. All three words
  // occur in the title, which has three.
  assert.deepEqual(features, [1, 1, 0, 0, 2, 4, 3, 16, 7, 1, 1, 1, 1, 3])
  const root = declaredFeatures(view('<p>x</p>', 'https://example.com/'))(0)
  assert.deepEqual(root, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
})

test('how much is inside the main content, how densely, and how much prose is outside, are features of a page', () => {
  const prose = `<p>${'word '.repeat(20)}</p>`
  const known = view(`<p>one two</p>${prose}<p>three</p>${prose}${prose}`, 'https://example.com/')
  const isInside = [false, true, false, true, false]
  const features = insideFeatures({ ...known, isInside })(0)
  // 40 of 63 words are inside, in two prose pieces of 20 words each, with one word between them, 2 before and
  // 20 after. Two of the three prose pieces are inside.
  assert.deepEqual(features, [40, 2, 20, 40 / 41, 2 / 63, 20 / 63, 2 / 3, 1, 20])
  const none = insideFeatures({ ...known, isInside: isInside.map(() => false) })(0)
  assert.deepEqual(none.slice(0, 3), [0, 0, 0])
  assert.ok(none.every(Number.isFinite))
})
