import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { runEndpoint } from '@tollbook/testing/catalogue/run-endpoint'
import { type ServedPage, servePages } from '@tollbook/testing/servers/serve-pages'
import { drawSign, SIGN } from '@tollbook/testing/utility/draw-sign'
import { writeObjects } from '@tollbook/testing/write-pdf'
import { createWorkerPool } from '@tollbook/workers/pool'
import sharp from 'sharp'
import { openOcr } from '../../../ocr/open-ocr.ts'
import { summarize } from '../summarize/endpoint.ts'
import { scrape } from './endpoint.ts'

/** A picture that covers a page of a PDF, as a scanner writes it, and what the page shows with it. */
type Scan = { readonly jpeg: Buffer; readonly width: number; readonly height: number }
type Shown = { readonly before?: string; readonly text?: string; readonly annotation?: string }

/** A page with a scan, and before it one with text alone, if there is any. */
function scan({ jpeg, width, height }: Scan, { before, text = '', annotation }: Shown = {}): Buffer {
  const image = `<< /Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode /Length ${jpeg.length} >>\nstream\n`
  const content = `q 595 0 0 ${Math.round((595 * height) / width)} 0 300 cm /I Do Q ${text}`
  const first = before ?? ''
  const page = '/Type /Page /Parent 2 0 R /MediaBox [0 290 595 520]'
  const font = '/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>'
  return writeObjects([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${before ? 2 : 1} /Kids [${before ? '6 0 R ' : ''}3 0 R] >>`,
    `<< ${page} /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> ${font} >> ${annotation ? '/Annots [8 0 R]' : ''} >>`,
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    Buffer.concat([Buffer.from(image, 'latin1'), jpeg, Buffer.from('\nendstream')]),
    `<< ${page} /Contents 7 0 R /Resources << ${font} >> >>`,
    `<< /Length ${first.length} >>\nstream\n${first}\nendstream`,
    `<< /Type /Annot /Subtype /Stamp /Rect [60 404 260 424] /F 4 /AP << /N 9 0 R >> >>`,
    `<< /Type /XObject /Subtype /Form /BBox [0 0 200 20] /Resources << ${font} >> /Length ${(annotation ?? '').length} >>\nstream\n${annotation ?? ''}\nendstream`,
  ])
}

const write = (text: string, at = '60 410', more = '') => `BT /F 12 Tf ${more} ${at} Td (${text}) Tj ET`

const as = (type: string, body: Uint8Array): ServedPage => ({ headers: { 'content-type': type }, body })
const ocr = openOcr()
const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
const fetch = createSafeFetch({ allowPrivateNetwork: true })
let site: Awaited<ReturnType<typeof servePages>>
before(async () => {
  const sign = await drawSign(100)
  const scanned = await drawSign(200)
  const { data, info } = await scanned.jpeg().toBuffer({ resolveWithObject: true })
  const waves = Buffer.from(
    Uint8Array.from({ length: 300 * 300 }, (_, at) => 128 + 100 * Math.sin(at / 40) * Math.cos(at / 9_000)),
  )
  const photo = sharp(waves, { raw: { width: 300, height: 300, channels: 1 } })
  const sheet = { jpeg: data, width: info.width, height: info.height }
  const waved = { jpeg: await photo.clone().toColourspace('srgb').jpeg().toBuffer(), width: 300, height: 300 }
  const pdf = (...of: Parameters<typeof scan>) => as('application/pdf', scan(...of))
  // 100 million pixels.
  const bomb = sharp({ create: { width: 10_000, height: 10_000, channels: 3, background: '#fff' } })
  site = await servePages({
    '/sign.png': as('image/png', await sign.png().toBuffer()),
    '/scan.pdf': pdf(sheet),
    '/stamped.pdf': pdf(sheet, { annotation: write('Received 2026-01-15', '4 6') }),
    '/printed.pdf': pdf(sheet, { text: write('Received 2026-01-15') }),
    '/second.pdf': pdf(sheet, { before: write('Page of text') }),
    '/layer.pdf': pdf(sheet, { text: write('Read by the scanner', '60 410', '3 Tr') }),
    '/cover.pdf': pdf(waved, { text: write('The sea in June') }),
    '/download': as('application/octet-stream', await sign.png().toBuffer()),
    '/photo.jpg': as('image/jpeg', await photo.jpeg().toBuffer()),
    '/bomb.png': as('image/png', await bomb.png({ compressionLevel: 9 }).toBuffer()),
    '/broken.png': as('image/png', Buffer.from('nothing')),
  })
})
after(async () => {
  ocr?.close()
  site.close()
  await workers.close()
})

const ask = (path: string, provided = {}) =>
  runEndpoint(scrape, { url: `${site.url}${path}`, ...provided }, { ports: { fetch, workers, ocr } })
function isSkipped(t: TestContext): boolean {
  if (ocr === null) t.skip('tesseract.js is not installed')
  return ocr === null
}

test('the text of an image and of a scanned PDF is read', async (t) => {
  if (isSkipped(t)) return
  for (const path of ['/sign.png', '/download', '/scan.pdf']) {
    const { markdown, extractor, truncated } = await ask(path)
    assert.deepEqual(
      { markdown, extractor, truncated },
      { markdown: SIGN, extractor: 'ocr', truncated: false },
      path,
    )
  }
  const input = { url: `${site.url}/sign.png`, sentences: 1 }
  const { sentence_count } = await runEndpoint(summarize, input, { ports: { fetch, workers, ocr } })
  // A heading is no sentence.
  assert.equal(sentence_count, 2)
})

test('a scan is read, too, where its page has a stamp, or another page has text', async (t) => {
  if (isSkipped(t)) return
  const expected = {
    '/stamped.pdf': /^(?=.*Received 2026-01-15)(?=.*A pilot is paid).*$/s,
    '/printed.pdf': /^(?=.*Received 2026-01-15)(?=.*A pilot is paid).*$/s,
    '/second.pdf': /^Page of text\n\n# Harbour office\n\nOpen from/,
  }
  for (const [path, text] of Object.entries(expected)) {
    const { markdown = '', extractor, truncated } = await ask(path)
    assert.match(markdown, text, path)
    assert.equal(markdown.match(/Received/g)?.length ?? 0, path === '/second.pdf' ? 0 : 1, path)
    assert.deepEqual({ extractor, truncated }, { extractor: 'ocr', truncated: false }, path)
  }
})

test("a scanner's own text layer, and a picture without text behind a title, stay as they are", async (t) => {
  if (isSkipped(t)) return
  const expected = { '/layer.pdf': 'Read by the scanner\n', '/cover.pdf': 'The sea in June\n' }
  for (const [path, text] of Object.entries(expected)) {
    const { markdown, extractor } = await ask(path)
    assert.deepEqual({ markdown, extractor }, { markdown: text, extractor: 'document' }, path)
  }
})

test('without text recognition the other pages of a PDF are read, and marked as truncated', async () => {
  const { markdown, truncated } = await runEndpoint(
    scrape,
    { url: `${site.url}/second.pdf` },
    { ports: { fetch, workers, ocr: null } },
  )
  assert.deepEqual({ markdown, truncated }, { markdown: 'Page of text\n', truncated: true })
})

test('an image without text, too large or broken is refused', async (t) => {
  if (isSkipped(t)) return
  await assert.rejects(ask('/photo.jpg'), /No text was found/)
  await assert.rejects(ask('/bomb.png'), /more than 50 million pixels/)
  await assert.rejects(ask('/broken.png'), /is broken/)
  await assert.rejects(ask('/sign.png', { include_selectors: ['h1'] }), /Selectors need HTML/)
})

test('without text recognition an image is refused with what is missing', async () => {
  const asking = runEndpoint(
    scrape,
    { url: `${site.url}/sign.png` },
    { ports: { fetch, workers, ocr: null } },
  )
  await assert.rejects(asking, /not_configured.*tesseract\.js/)
})
