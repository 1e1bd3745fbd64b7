import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { runEndpoint } from '@tollbook/testing/catalogue/run-endpoint'
import { type ServedPage, servePages } from '@tollbook/testing/servers/serve-pages'
import { writePdf } from '@tollbook/testing/write-pdf'
import { createWorkerPool } from '@tollbook/workers/pool'
import { summarize } from '../summarize/endpoint.ts'
import { scrape } from './endpoint.ts'

const PDF = writePdf([
  [
    [72, 700, 24, 'Harbours of the north'],
    [72, 670, 11, 'The oldest harbour was built of oak and has been repaired every cen-'],
    [72, 656, 11, 'tury since. Nobody knows who paid for the first of these repairs.'],
  ],
])
const RSS = `<?xml version="1.0"?><rss version="2.0"><channel><title>Sea news</title><description>Of tides</description>
<item><title>Spring tide</title><link>https://sea.example/1</link><pubDate>Sat, 02 May 2026 08:00:00 GMT</pubDate>
<description>&lt;p&gt;High &lt;b&gt;water&lt;/b&gt; at noon.&lt;/p&gt;</description></item>
<item><title>Neap tide</title><link>/2</link></item></channel></rss>`
const ATOM = `<feed xmlns="http://www.w3.org/2005/Atom"><title>Sea</title><updated>2026-05-02T08:00:00Z</updated>
<entry><title>Ebb</title><link href="https://sea.example/3"/><summary>Low water.</summary></entry></feed>`
const MARKDOWN = `---\ndate: 2026\n---\n# Tides #\n\nSee [NOAA](https://noaa.gov/):\n- spring\n- neap\n\n\`\`\`js\n# no heading\n\`\`\`\n`
const TEXT = `Tides differ from\nport to port.\n\nPort      Height\nBrest     7 m\n`

const as = (type: string, body: string | Uint8Array): ServedPage => ({
  headers: { 'content-type': type },
  body,
})
const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
const fetch = createSafeFetch({ allowPrivateNetwork: true })
let site: Awaited<ReturnType<typeof servePages>>
before(async () => {
  site = await servePages({
    '/a.pdf': as('application/pdf', PDF),
    '/download': as('application/octet-stream', PDF),
    '/blank.pdf': as('application/pdf', writePdf([[]])),
    '/broken.pdf': as('application/pdf', '%PDF-1.7 nothing'),
    '/rss': as('application/rss+xml', RSS),
    '/atom': as('text/xml; charset=utf-8', ATOM),
    '/bomb': as('application/rss+xml', `<rss><channel>${'<item>'.repeat(200_000)}`),
    '/notes.md': as('text/plain', MARKDOWN),
    '/notes.txt': as('text/plain; charset=utf-8', TEXT),
    '/data': as('application/ld+json', '{"tide": 12.50}\n'),
    '/deep': as('application/json', '['.repeat(100_000)),
    '/nothing.txt': as('text/plain', ' \n'),
    '/movie': as('video/mp4', 'x'),
  })
})
after(async () => {
  site.close()
  await workers.close()
})

const ask = (path: string, provided = {}) =>
  runEndpoint(scrape, { url: `${site.url}${path}`, ...provided }, { ports: { fetch, workers } })

test('a PDF is read into Markdown with its metadata, also if its type is not declared', async () => {
  for (const path of ['/a.pdf', '/download']) {
    const { markdown, title, byline, lang, published_at, extractor, page_type } = await ask(path)
    assert.equal(
      markdown,
      '# Harbours of the north\n\nThe oldest harbour was built of oak and has been repaired every century since. Nobody knows who paid for the first of these repairs.\n',
    )
    const head = { title, byline, lang, published_at, extractor, page_type }
    assert.deepEqual(head, {
      title: 'A title',
      byline: 'A. Writer',
      lang: 'en-GB',
      // 09:30 at UTC+1.
      published_at: '2026-01-15T08:30:00.000Z',
      extractor: 'document',
      page_type: null,
    })
  }
})

test('RSS and Atom are read as a list of entries', async () => {
  const rss = await ask('/rss')
  assert.equal(
    rss.markdown,
    `## [Spring tide](https://sea.example/1)

2026-05-02T08:00:00.000Z

High **water** at noon.

## [Neap tide](${site.url}/2)
`,
  )
  assert.deepEqual([rss.title, rss.description, rss.links.length], ['Sea news', 'Of tides', 2])
  const atom = await ask('/atom', { include_links: false })
  assert.deepEqual([atom.title, atom.markdown], ['Sea', '## Ebb\n\nLow water.\n'])
})

test('Markdown stays as it is, text has paragraphs and layouts, and JSON is code', async () => {
  const notes = await ask('/notes.md')
  assert.equal(
    notes.markdown,
    '# Tides\n\nSee [NOAA](https://noaa.gov/):\n- spring\n- neap\n\n```js\n# no heading\n```\n',
  )
  assert.equal(notes.title, 'Tides')
  const text = await ask('/notes.txt')
  assert.equal(
    text.markdown,
    'Tides differ from port to port.\n\n```\nPort      Height\nBrest     7 m\n```\n',
  )
  assert.equal((await ask('/data')).markdown, '```json\n{"tide": 12.50}\n```\n')
})

test('documents that are empty, broken or of another kind are refused', async () => {
  const refused = [
    ['/blank.pdf', /is empty/],
    ['/broken.pdf', /cannot_be_served/],
    ['/bomb', /cannot be processed/],
    ['/deep', /is not JSON/],
    ['/nothing.txt', /is empty/],
    ['/movie', /is video\/mp4; readable are HTML, PDF/],
  ] as const
  for (const [path, reason] of refused) await assert.rejects(ask(path), reason, path)
  await assert.rejects(ask('/a.pdf', { include_selectors: ['h1'] }), /Selectors need HTML/)
})

test('a PDF is summarised by its sentences', async () => {
  const input = { url: `${site.url}/a.pdf`, sentences: 1 }
  const { title, sentence_count } = await runEndpoint(summarize, input, { ports: { fetch, workers } })
  assert.deepEqual([title, sentence_count], ['A title', 2])
})
