import assert from 'node:assert/strict'
import { test } from 'node:test'
import { elementsBelow, parseTree } from '../html-tree.ts'
import { markArticle } from './mark-article.ts'
import { measureTree } from './measure-tree.ts'
import { extractByReadability } from './readability.ts'
import { findSurroundings } from './surroundings.ts'

const SENTENCE = 'The moon pulls the sea, the sun pulls it too, and the water stands high where both agree. '
const PAGE = `<html><head><title>Tides</title></head><body><nav><a href="/">Home page</a></nav><article>
<h1>Tides</h1><p class="byline">By Ann Writer</p>${`<p>${SENTENCE.repeat(3)}<a href="/noaa">NOAA</a></p>`.repeat(5)}
<pre><code class="language-js">let a</code></pre></article></body></html>`

test('Readability gives the article, its writer and the classes that name languages', () => {
  const { html, byline } = extractByReadability(PAGE)
  assert.ok(html.includes('The moon pulls') && html.includes('language-js'))
  assert.equal(byline, 'By Ann Writer')
  assert.ok(!html.includes('Home page'))
})

test('markup without anything gives nothing', () => {
  assert.deepEqual(extractByReadability(''), { html: '', byline: null })
})

test('the elements of a tree that Readability takes are known', () => {
  const tree = parseTree(PAGE)
  const taken = markArticle(tree, 'Tides')?.taken ?? new Set()
  const names = [...elementsBelow(tree)].filter((element) => taken.has(element)).map(({ name }) => name)
  assert.equal(names.filter((name) => name === 'p').length, 5)
  assert.ok(names.includes('pre') && !names.includes('nav'))
})

test('a page of too many elements is not given to Readability', () => {
  assert.equal(markArticle(parseTree('<i></i>'.repeat(20_001)), ''), null)
})

test('navigation, footers and hidden parts surround the content, by what they are and are called', () => {
  const tree = parseTree(
    `<body><nav>Home</nav><main><p>${SENTENCE.repeat(9)}</p><div class="share-bar">Share</div>
    <p hidden>Unseen</p></main><footer>Rights</footer></body>`,
  )
  const { root, aside } = findSurroundings(tree, measureTree(tree))
  assert.equal('name' in root && root.name, 'main')
  assert.deepEqual(
    [...aside].map(({ name }) => name),
    ['div', 'p'],
  )
})
