import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { issuesOf, runEndpoint } from '@tollbook/testing/catalogue/run-endpoint'
import { servePages } from '@tollbook/testing/servers/serve-pages'
import { createWorkerPool } from '@tollbook/workers/pool'
import { scrape } from './endpoint.ts'

const SENTENCE =
  'The moon pulls the sea, the sun pulls it too, and where the two agree the water stands highest of all. '
const ARTICLE = `<!doctype html><html lang="en"><head><title>Tides | Sea</title>
<link rel="canonical" href="/sea/post"><meta property="og:title" content="Why tides differ"><meta property="og:site_name" content="Sea">
<meta property="og:image" content="/t.png"><meta name="description" content="The moon is not alone.">
<script type="application/ld+json">{"@type":"NewsArticle","author":[{"name":"A. Writer"}],
"datePublished":"2026-05-02T10:00:00+02:00"}</script></head><body>
<nav><a href="/">Home</a><a href="/all">All posts</a></nav>
<article><h1>Why tides differ</h1>
<p>${SENTENCE.repeat(3)}</p><p>See <a href="table">the table</a> or <a href="javascript:alert(1)">this</a>.</p>
<h2>Heights</h2><table><thead><tr><th>Port</th><th>Height</th></tr></thead>
<tbody><tr><td>Saint-Malo</td><td>12 m</td></tr></tbody></table>
<p>${SENTENCE.repeat(3)}</p><pre><code class="language-js">height(2)
</code></pre><ul><li>spring</li><li>neap</li></ul><p>${SENTENCE.repeat(2)}<img src="/sea.png" alt="Sea"></p></article>
<footer>Copyright, all rights reserved</footer></body></html>`

const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
const fetch = createSafeFetch({ allowPrivateNetwork: true })
let site: Awaited<ReturnType<typeof servePages>>
before(async () => {
  site = await servePages({
    '/sea/post': ARTICLE,
    '/empty': '<html><body></body></html>',
    '/picture': { body: 'GIF89a', headers: { 'content-type': 'image/gif' } },
    '/deep': '<div>'.repeat(20_000),
    '/gone': { status: 410 },
  })
})
after(async () => {
  site.close()
  await workers.close()
})

const ask = (path: string, provided = {}) =>
  runEndpoint(scrape, { url: `${site.url}${path}`, ...provided }, { ports: { fetch, workers } })

test('an article is returned as Markdown, without boilerplate, and with its metadata', async () => {
  const { markdown, links, fetch_ms, word_count, char_count, bytes, ...answer } = await ask('/sea/post')
  assert.deepEqual(answer, {
    url: `${site.url}/sea/post`,
    final_url: `${site.url}/sea/post`,
    status: 200,
    redirects: [],
    title: 'Why tides differ',
    byline: 'A. Writer',
    site_name: 'Sea',
    lang: 'en',
    published_at: '2026-05-02T08:00:00.000Z',
    modified_at: null,
    canonical_url: `${site.url}/sea/post`,
    description: 'The moon is not alone.',
    image: `${site.url}/t.png`,
    format: 'markdown',
    truncated: false,
    // HomeAll posts, and four words of the footer.
    dropped: { words: 6, headings: 0, lists: 0, tables: 0, code: 0, images: 0, formulas: 0 },
    ocr: null,
    page_type: 'article',
    rendered: false,
    cached: false,
    fetched_at: '2026-11-21T10:00:00.000Z',
    extractor: answer.extractor,
    ts: '2026-11-21T10:00:00.000Z',
  })
  assert.ok(markdown.includes(`[the table](${site.url}/sea/table)`), markdown)
  assert.ok(markdown.includes('| Port | Height |\n| --- | --- |\n| Saint-Malo | 12 m |'), markdown)
  assert.ok(markdown.includes('```js\nheight(2)\n```'), markdown)
  assert.ok(markdown.includes('- spring\n- neap'), markdown)
  assert.ok(markdown.includes(`![Sea](${site.url}/sea.png)`), markdown)
  assert.ok(!/javascript|Copyright|All posts/.test(markdown), markdown)
  assert.deepEqual(links, [{ text: 'the table', href: `${site.url}/sea/table` }])
  assert.equal(char_count, markdown.length)
  assert.ok(word_count > 160 && fetch_ms > 0 && bytes === ARTICLE.length)
})

test('links and images are removed on request, and the link text stays', async () => {
  const { markdown, links } = await ask('/sea/post', { include_links: false, include_images: false })
  assert.ok(markdown.includes('See the table or this.'))
  assert.ok(!/\]\(/.test(markdown))
  assert.deepEqual(links, [])
})

test('the content is also available as text and as HTML', async () => {
  const text = await ask('/sea/post', { format: 'text' })
  assert.ok(text.markdown.includes('\n\nPort\tHeight\nSaint-Malo\t12 m\n\n'), text.markdown)
  const html = await ask('/sea/post', { format: 'html' })
  assert.ok(html.markdown.includes('<pre><code class="language-js">height(2)\n</code></pre>'))
  assert.ok(!/script|javascript|onclick/.test(html.markdown))
})

test('the whole page is returned if main_only is off', async () => {
  const { markdown, extractor } = await ask('/sea/post', { main_only: false })
  assert.match(markdown, /All posts[\s\S]*Copyright, all rights reserved/)
  assert.equal(extractor, 'whole-page')
})

test('long content is cut at the end of a block, and the answer reports it', async () => {
  const { markdown, truncated, char_count } = await ask('/sea/post', { max_chars: 500 })
  assert.ok(truncated && char_count <= 500 && markdown.length === char_count)
  assert.match(markdown, /Saint-Malo \| 12 m \|\n$/)
  // The first paragraph alone is longer than that.
  const little = await ask('/sea/post', { max_chars: 100 })
  assert.match(little.markdown, /^# Why tides differ\n\nThe moon pulls the sea/)
  assert.ok(little.truncated && little.char_count <= 100)
})

test('an empty page is refused and not charged', async () => {
  await assert.rejects(ask('/empty'), { message: 'cannot_be_served: The page has no content.' })
  const { raw_html } = await ask('/empty', { formats: ['raw_html'] })
  assert.equal(raw_html, '<html><body></body></html>')
})

test('a page that is not HTML, too deep or gone is rejected and not charged', async () => {
  await assert.rejects(ask('/picture'), { message: /^not_configured: Text recognition is not installed/ })
  await assert.rejects(ask('/deep'), { message: /^cannot_be_served: The page cannot be processed/ })
  await assert.rejects(ask('/gone'), { message: 'upstream_failed: The page responded with 410.' })
})

test('invalid arguments are reported before payment', () => {
  const url = 'https://example.com/'
  const parameterOf = (provided: object) => issuesOf(scrape, provided)[0]?.parameter
  assert.equal(parameterOf({ url: 'example.com' }), 'url')
  assert.equal(parameterOf({ url, format: 'pdf' }), 'format')
  assert.equal(parameterOf({ url, max_chars: 99 }), 'max_chars')
})

test('rendering without a configured browser is rejected before payment, and the default is never', () => {
  const url = 'https://example.com/'
  const issues = (provided: object) => issuesOf(scrape, { url, ...provided }, { browser: null })
  assert.deepEqual(
    issues({ render: 'always' }).map(({ parameter, code }) => [parameter, code]),
    [['render', 'not_configured']],
  )
  assert.deepEqual([issues({}), issues({ render: 'auto' }), issues({ render: 'never' })], [[], [], []])
})
