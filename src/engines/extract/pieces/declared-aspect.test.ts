import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTree } from '../html-tree.ts'
import { readHead } from '../read-head.ts'
import { articleAspect } from './article-aspect.ts'
import { declaredAspect } from './declared-aspect.ts'
import { knowPage } from './know-page.ts'
import { type PageView, viewPage } from './page-view.ts'

function view(html: string, url: string): PageView {
  const head = readHead(html, url)
  return viewPage(knowPage(parseTree(html), { url, head, pageType: 'article' }).page)
}

test('a page is told by the types that it declares, and by how its address is made', () => {
  const html =
    '<title>How tides turn</title><meta property="og:type" content="article">' +
    '<script type="application/ld+json">{"@type":"NewsArticle"}</script><p>x</p>'
  const figures = declaredAspect(view(html, 'https://example.com/sea/2026/05/how-tides-7-turn.html?ref=a'))(0)
  // Declared: article, news, no blog, no site; two types. Four parts, the last of three words and 16 letters and
  // signs; 7 digits in all, a date, an ending, a query; all three words stand in the title, which has three.
  assert.deepEqual(figures, [1, 1, 0, 0, 2, 4, 3, 16, 7, 1, 1, 1, 1, 3])
  const root = declaredAspect(view('<p>x</p>', 'https://example.com/'))(0)
  assert.deepEqual(root, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
})

test('the shape of an article is what is taken, how densely, and what prose is left around it', () => {
  const prose = `<p>${'word '.repeat(20)}</p>`
  const known = view(`<p>one two</p>${prose}<p>three</p>${prose}${prose}`, 'https://example.com/')
  const isInArticle = [false, true, false, true, false]
  const figures = articleAspect({ ...known, isInArticle })(0)
  // 40 of 63 words are taken, in two pieces of prose of 20 each, with one word between them, 2 before and 20 after;
  // two of the three pieces of prose are taken, one is left.
  assert.deepEqual(figures, [40, 2, 20, 40 / 41, 2 / 63, 20 / 63, 2 / 3, 1, 20])
  const none = articleAspect({ ...known, isInArticle: isInArticle.map(() => false) })(0)
  assert.deepEqual(none.slice(0, 3), [0, 0, 0])
  assert.ok(none.every(Number.isFinite))
})
