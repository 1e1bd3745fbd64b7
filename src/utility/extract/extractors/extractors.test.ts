import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extractByDefuddle } from './defuddle.ts'
import { extractByReadability } from './readability.ts'

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

test('Defuddle gives the article with links of the page itself', () => {
  const html = extractByDefuddle(PAGE, 'https://example.com/sea/tides?x=1')
  assert.ok(html.includes('The moon pulls'))
  assert.ok(html.includes('https://example.com/noaa') && !html.includes('page.invalid'), html)
  assert.ok(!html.includes('Home page'))
})

test('markup without anything gives nothing', () => {
  assert.deepEqual(extractByReadability(''), { html: '', byline: null })
  assert.equal(extractByDefuddle('', 'https://example.com/').replace(/<[^>]*>|\s/g, ''), '')
})
