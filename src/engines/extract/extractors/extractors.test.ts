import assert from 'node:assert/strict'
import { test } from 'node:test'
import { elementsBelow, parseTree } from '../html-tree.ts'
import { extractByReadability, markArticle } from './mark-article.ts'
import { measureTree } from './measure-tree.ts'
import { findSurroundings } from './surroundings.ts'

const SENTENCE = 'The moon pulls the sea, the sun pulls it too, and the water stands high where both agree. '
const PAGE = `<html><head><title>Tides</title></head><body><nav><a href="/">Home page</a></nav><article>
<h1>Tides</h1><p class="byline">By Ann Writer</p>${`<p>${SENTENCE.repeat(3)}<a href="/noaa">NOAA</a></p>`.repeat(5)}
<pre><code class="language-js">let a</code></pre></article></body></html>`

test('Readability returns the article, its author and the classes that name code languages', () => {
  const { html, byline } = extractByReadability(PAGE)
  assert.ok(html.includes('The moon pulls') && html.includes('language-js'))
  assert.equal(byline, 'By Ann Writer')
  assert.ok(!html.includes('Home page'))
})

test('empty markup yields an empty result', () => {
  assert.deepEqual(extractByReadability(''), { html: '', byline: null })
})

test('markArticle finds the elements that Readability keeps', () => {
  const tree = parseTree(PAGE)
  const taken = markArticle(tree, 'Tides')?.taken ?? new Set()
  const names = [...elementsBelow(tree)].filter((element) => taken.has(element)).map(({ name }) => name)
  assert.equal(names.filter((name) => name === 'p').length, 5)
  assert.ok(names.includes('pre') && !names.includes('nav'))
})

test('markup characters in a text are not markup for Readability, and stay in the byline', () => {
  const tree = parseTree(
    PAGE.replace('Ann Writer', 'Ann &lt;b> &amp; Bo Writer').replaceAll('moon', 'moon &amp; &lt;i>'),
  )
  const { taken, byline } = markArticle(tree, 'Tides & <i>') ?? {}
  assert.equal(byline, 'By Ann <b> & Bo Writer')
  assert.equal([...(taken ?? [])].filter(({ name }) => name === 'p').length, 5)
})

test('a page with too many elements is not passed to Readability', () => {
  assert.equal(markArticle(parseTree('<i></i>'.repeat(20_001)), ''), null)
})

test('navigation, footers and hidden parts are boilerplate, by element and by class name', () => {
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
