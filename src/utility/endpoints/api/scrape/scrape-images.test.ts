import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import sharp from 'sharp'
import { runEndpoint } from '../../../../../test/catalogue/run-endpoint.ts'
import { type ServedPage, servePages } from '../../../../../test/servers/serve-pages.ts'
import { drawSign, SIGN } from '../../../../../test/utility/draw-sign.ts'
import { writeObjects } from '../../../../../test/write-pdf.ts'
import { createSafeFetch } from '../../../../fetching/safe-fetch.ts'
import { createWorkerPool } from '../../../../workers/pool.ts'
import { openOcr } from '../../../ocr/open-ocr.ts'
import { summarize } from '../summarize/endpoint.ts'
import { scrape } from './endpoint.ts'

/** A PDF of one page that shows an image, as a scanner writes it. */
function scan(jpeg: Buffer, width: number, height: number): Buffer {
  const image = `<< /Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode /Length ${jpeg.length} >>\nstream\n`
  const content = `q 595 0 0 ${Math.round((595 * height) / width)} 0 300 cm /I Do Q`
  return writeObjects([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    Buffer.concat([Buffer.from(image, 'latin1'), jpeg, Buffer.from('\nendstream')]),
  ])
}

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
  // 100 million pixels.
  const bomb = sharp({ create: { width: 10_000, height: 10_000, channels: 3, background: '#fff' } })
  site = await servePages({
    '/sign.png': as('image/png', await sign.png().toBuffer()),
    '/scan.pdf': as('application/pdf', scan(data, info.width, info.height)),
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
  // The heading counts as one.
  assert.equal(sentence_count, 3)
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
