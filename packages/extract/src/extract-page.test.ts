import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { readBlocks } from './document/read-blocks.ts'
import { writeText } from './document/write-text.ts'
import { extractPage } from './extract-page.ts'

const SENTENCE = 'The moon pulls the sea, the sun pulls it too, and the water stands high where both agree. '
const OPTIONS = { isMainOnly: true, includeImages: true }

function textOf(html: string, path = '/'): { text: string; pageType: string; extractor: string } {
  const page = extractPage(html, `https://example.com${path}`, OPTIONS)
  const text = writeText(readBlocks(page.tree, { includeLinks: false, includeImages: false }))
  return { text, pageType: page.pageType, extractor: page.extractor }
}

const around = (content: string, head = '') =>
  `<html><head><title>T</title>${head}</head><body>
  <nav><a href="/">Home page</a> <a href="/a">About us</a></nav><div class="cookie-banner">We use cookies</div>
  ${content}
  <aside class="sidebar">Newest members</aside><footer>All rights reserved</footer></body></html>`

const AROUND = /Home page|We use cookies|Newest members|All rights reserved/

test('the heading of a page is its title if it declares none', () => {
  const titleOf = (html: string) => extractPage(html, 'https://example.com/', OPTIONS).head.title
  const heading = `<article><h1>High\n <em>water</em></h1><p>${SENTENCE.repeat(3)}</p></article>`
  assert.equal(titleOf(heading), 'High water')
  assert.equal(titleOf(around(heading)), 'T')
  assert.equal(titleOf(`<h1> </h1><p>${SENTENCE}</p>`), null)
})

test('every post of a thread is kept', () => {
  const posts = Array.from(
    { length: 8 },
    (_, at) =>
      `<div class="post"><div class="post-author">member${at}</div><div class="post-body">Answer ${at}: ${SENTENCE}</div></div>`,
  )
  const { text, pageType } = textOf(around(`<div class="posts">${posts.join('')}</div>`), '/forum/thread/7')
  for (let at = 0; at < 8; at += 1) assert.ok(text.includes(`Answer ${at}:`), text)
  assert.doesNotMatch(text, AROUND)
  assert.equal(pageType, 'forum')
})

test('every entry of a list of links is kept', () => {
  const entries = Array.from(
    { length: 12 },
    (_, at) =>
      `<div class="card"><h3><a href="/c/${at}">Course number ${at} about the sea</a></h3><span>4 weeks</span></div>`,
  )
  const { text, pageType } = textOf(around(`<main>${entries.join('')}</main>`), '/courses')
  for (let at = 0; at < 12; at += 1) assert.ok(text.includes(`Course number ${at} `), text)
  assert.doesNotMatch(text, AROUND)
  assert.equal(pageType, 'listing')
})

test('a product page is recognised by its structured data and keeps its description', () => {
  const head = '<script type="application/ld+json">{"@type":"Product","name":"Kettle"}</script>'
  const { text, pageType } = textOf(
    around(
      `<main><h1>Kettle</h1><p>$ 39.00</p><div class="description"><p>${SENTENCE.repeat(4)}</p></div></main>`,
      head,
    ),
  )
  assert.ok(text.includes('The moon pulls'))
  assert.doesNotMatch(text, AROUND)
  assert.equal(pageType, 'product')
})

test('listings and captions between paragraphs are kept', () => {
  const { text } = textOf(
    around(
      `<article><h1>Tides</h1><p>${SENTENCE.repeat(3)}</p><pre><code>height(2)</code></pre><p>${SENTENCE.repeat(3)}</p>
      <figure><img src="b.png"><figcaption>The boat at dawn</figcaption></figure><p>${SENTENCE.repeat(3)}</p></article>`,
    ),
  )
  assert.ok(text.includes('\n\nheight(2)\n\n') && text.includes('\n\nThe boat at dawn\n\n'), text)
  assert.doesNotMatch(text, AROUND)
})

test('rows of an infobox are kept with the lists in their cells', () => {
  const { text } = textOf(
    around(`<div id="content"><table class="infobox"><tr><th>Industry</th><td><a href="/s">Software</a></td></tr>
      <tr><th>Founders</th><td><div class="plainlist"><ul><li><a href="/a">Ann</a></li><li>Bo</li></ul></div></td></tr></table>
      <p>${SENTENCE.repeat(4)}</p><p>${SENTENCE.repeat(4)}</p></div>`),
  )
  assert.ok(text.includes('Industry\tSoftware\nFounders\tAnn Bo'), text)
})

test('a product keeps its name, rating and price, and offers of others are not added', () => {
  const product = (
    attributes: string,
  ) => `<main ${attributes}><h1>Trail Runner 3</h1><div>4.6 out of 5 (213 reviews)</div>
    <span class="price">$129.00</span><p>${SENTENCE.repeat(3)}</p></main>
    <div class="related"><a href="/b">Trail Runner 2</a> <span>$99.00</span></div>`
  const declared = '<script type="application/ld+json">{"@type":"Product"}</script>'
  const named = '<meta property="og:title" content="Trail Runner 3 | Shop">'
  for (const html of [
    around(product(''), named + declared),
    around(product('itemscope itemtype="https://schema.org/Product"'), named),
  ]) {
    const { text } = textOf(html)
    assert.match(text, /^Trail Runner 3\n\n4\.6 out of 5 \(213 reviews\)\n\n\$129\.00\n\nThe moon/)
    assert.doesNotMatch(text, /99\.00/)
  }
})

/** A page whose only long part is a paragraph. */
const SHORT_PARTS = `<main><h1>Trail Runner 3</h1><p class=price>$129.00</p><p>The Trail Runner 3 is a light shoe for long
runs on rough ground. Its sole grips on wet stone, and the upper dries within an hour. We tested it for three months in
the Alps and it held up well in all conditions. Compared with the second version it weighs forty grams less. Runners
with narrow feet may find it loose, so order half a size down. The laces stay tied even in mud, which we liked a lot.</p>
<table class=infobox><tr><th>Weight</th><td>245 g</td></tr><tr><th>Drop</th><td>6 mm</td></tr></table>
<pre><code>npm install trail-runner</code></pre></main>`

test('heading, price, table and code of a page with one paragraph are kept', () => {
  const { text } = textOf(SHORT_PARTS)
  assert.match(text, /^Trail Runner 3\n\n\$129\.00\n\nThe Trail Runner 3 is/)
  assert.match(text, /Weight\t245 g\nDrop\t6 mm\n\nnpm install trail-runner/)
})

test('a list is kept as a whole, a definition list too', () => {
  const items = ['2 eggs', '1 cup of flour', 'salt', '300 ml milk', 'butter'].map(
    (item) => `<li>${item}</li>`,
  )
  const { text } = textOf(
    around(`<article><h1>Pancakes</h1><p>${SENTENCE.repeat(4)}</p><h2>Ingredients</h2><ul>${items.join('')}</ul>
      <p>${SENTENCE.repeat(4)}</p><dl><dt>Warranty</dt><dd>Two years</dd><dt>Colour</dt><dd>Blue</dd></dl>
      <p>${SENTENCE.repeat(2)}</p></article>`),
  )
  assert.ok(text.includes('Ingredients\n\n2 eggs\n1 cup of flour\nsalt\n300 ml milk\nbutter'), text)
  assert.ok(text.includes('Warranty\n\nTwo years\n\nColour\n\nBlue'), text)
})

test('what was left out is counted by kind', () => {
  const html = around(`<main><h1>Tides</h1>${`<p>${SENTENCE}</p>`.repeat(6)}</main>
    <nav><h2>More</h2><ul><li><a href="/b">Other page</a></li></ul><img src="/logo.png"></nav>`)
  const { dropped } = extractPage(html, 'https://example.com/', OPTIONS)
  // Home page, About us; We use cookies; More; Other page; Newest members; All rights reserved: 4 + 3 + 1 + 2 + 2 + 3.
  assert.deepEqual(dropped, { words: 15, headings: 1, lists: 1, tables: 0, code: 0, images: 1, formulas: 0 })
  assert.equal(extractPage(html, 'https://example.com/', { ...OPTIONS, isMainOnly: false }).dropped, null)
})

test('content hidden from readers is dropped', () => {
  const { text } = textOf(
    around(
      `<main>${`<p>${SENTENCE}</p>`.repeat(6)}<p hidden>secret one</p><p style="display: none">secret two</p></main>`,
    ),
  )
  assert.doesNotMatch(text, /secret/)
})

test('content in noscript is read if the page shows itself there', () => {
  const { text } = textOf(
    `<body><div id="app"></div><noscript><h1>Tides</h1>${`<p>${SENTENCE}</p>`.repeat(8)}</noscript></body>`,
  )
  assert.ok(text.includes('The moon pulls'), text)
})

test('content is kept if its wrapper has the class name of boilerplate', () => {
  const { text } = textOf(
    `<body><div class="modal hidden"><p>short</p></div><div class="sidebar-layout menu">${`<section class="widget"><p>${SENTENCE}</p></section>`.repeat(6)}</div></body>`,
  )
  assert.ok(text.includes('The moon pulls'), text)
})

test('any markup yields a page', () => {
  const piece = fc.constantFrom(
    '<main>',
    '</main>',
    '<div class=nav>',
    '<div hidden>',
    '</div>',
    '<article>',
    '<p>',
    SENTENCE,
    '<a href=x>',
    '</a>',
    '<table><tr><td>',
    '<noscript>',
    '<form>',
    '<body>',
    '<html>',
    '<',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const html = pieces.join('')
      assert.equal(textOf(html).text, textOf(html).text)
    }),
    { numRuns: 40 },
  )
})

test('no extractor fetches anything or writes to the console', () => {
  const { fetch, console: spoken } = globalThis
  const requested: unknown[] = []
  const written: unknown[] = []
  const log = spoken.log
  globalThis.fetch = async (url) => {
    requested.push(url)
    throw new Error('asked')
  }
  spoken.log = (...words: unknown[]) => written.push(words)
  try {
    // Broken JSON-LD, and an empty page to be filled by scripts.
    extractPage(
      '<script type="application/ld+json">{broken</script><div id="root"></div>',
      'https://example.com/r/a/comments/1/b/',
      OPTIONS,
    )
  } finally {
    globalThis.fetch = fetch
    spoken.log = log
  }
  assert.deepEqual([requested, written], [[], []])
})
