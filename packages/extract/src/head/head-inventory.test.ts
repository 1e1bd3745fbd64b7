import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { inventoryHead } from './head-inventory.ts'

const URL_OF_PAGE = 'https://example.com/a/post.html'

test('tags are grouped by family, in document order, with repetitions', () => {
  const { meta, title, lang, charset } = inventoryHead(
    `<!doctype html><html lang=" en-GB "><head><meta charset=utf-8><title> Why
      tides&nbsp;differ </title>
    <meta property="og:image" content="/1.png"><meta property="og:image" content="/2.png">
    <meta name="og:title" content="by name"><meta property="twitter:card" content="summary">
    <meta name="DC.creator" content="Ann"><meta name="dcterms.modified" content="2026">
    <meta name=Description content="The moon &amp; more"><meta http-equiv=Refresh content="5">
    <meta itemprop=name content=x><meta property="mine:x" content=y><meta name=empty></head>`,
    URL_OF_PAGE,
  )
  assert.deepEqual([title, lang, charset], ['Why tides differ', 'en-GB', 'utf-8'])
  assert.deepEqual(meta, {
    open_graph: [
      { key: 'og:image', content: '/1.png' },
      { key: 'og:image', content: '/2.png' },
      { key: 'og:title', content: 'by name' },
    ],
    twitter: [{ key: 'twitter:card', content: 'summary' }],
    dublin_core: [
      { key: 'DC.creator', content: 'Ann' },
      { key: 'dcterms.modified', content: '2026' },
    ],
    named: [{ key: 'Description', content: 'The moon & more' }],
    http_equiv: [{ key: 'refresh', content: '5' }],
    itemprop: [{ key: 'name', content: 'x' }],
    other: [{ key: 'mine:x', content: 'y' }],
  })
})

test('a tag with two different names is a tag under each', () => {
  const { meta } = inventoryHead(
    '<meta name="description" property="og:description" content="Of tides"><meta name="x:y" property="x:y" content="1">',
    URL_OF_PAGE,
  )
  assert.deepEqual(meta.open_graph, [{ key: 'og:description', content: 'Of tides' }])
  assert.deepEqual(meta.named, [{ key: 'description', content: 'Of tides' }])
  assert.deepEqual(meta.other, [{ key: 'x:y', content: '1' }])
})

test("links are resolved against the page's base, one record per relation", () => {
  const { links } = inventoryHead(
    `<base href="/b/"><base href="/ignored/"><link rel="shortcut ICON" href="f.ico" sizes=16x16>
     <link rel=alternate hreflang=de href="?l=de" title=Deutsch><link rel=next><link href=x>`,
    URL_OF_PAGE,
  )
  const none = { type: null, sizes: null, hreflang: null, title: null }
  assert.deepEqual(links, [
    { ...none, rel: 'shortcut', href: 'https://example.com/b/f.ico', sizes: '16x16' },
    { ...none, rel: 'icon', href: 'https://example.com/b/f.ico', sizes: '16x16' },
    { ...none, rel: 'alternate', href: 'https://example.com/b/?l=de', hreflang: 'de', title: 'Deutsch' },
  ])
})

test("the title of an SVG is not the page's title, and the first title is used", () => {
  const html = '<svg><title>drawing</title></svg><title>page</title><title>again</title>'
  assert.equal(inventoryHead(html, URL_OF_PAGE).title, 'page')
})

test('JSON-LD is returned whole with its types; broken blocks are reported and quoted', () => {
  const { jsonLd } = inventoryHead(
    `<script type="application/ld+json">{"@graph":[{"@type":"Article"},{"@type":["Person","Thing"]}]}</script>
     <script type="Application/LD+JSON; charset=utf-8">[{"@type":"Product","offers":{"@type":"Offer"}}]</script>
     <script type="application/ld+json">{"@type":'Event',}</script>
     <script>{"@type":"NotThis"}</script>`,
    URL_OF_PAGE,
  )
  assert.deepEqual(
    jsonLd.map(({ valid, types }) => [valid, types]),
    [
      [true, ['Article', 'Person', 'Thing']],
      [true, ['Product']],
      [false, []],
    ],
  )
  const [, , broken] = jsonLd
  assert.ok(broken && !broken.valid)
  assert.equal(broken.raw, `{"@type":'Event',}`)
  assert.match(broken.error, /is not valid JSON/)
})

test('any text yields an inventory', () => {
  const pieces = fc.constantFrom(
    '<title>',
    '</title>',
    '<svg>',
    '</svg>',
    '<meta name=a content="',
    '<link rel=x href=',
    '"',
    '>',
    '<script type=application/ld+json>',
    '</script>',
    '{',
    'é',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
      const { meta, links } = inventoryHead(parts.join(''), URL_OF_PAGE)
      assert.ok(Object.values(meta).every(Array.isArray) && Array.isArray(links))
    }),
  )
})
