import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ProblemError } from '@tollbook/http/problem'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { issuesOf, runEndpoint } from '@tollbook/testing/catalogue/run-endpoint'
import { servePages } from '@tollbook/testing/servers/serve-pages'
import { drawSvg } from '@tollbook/testing/utility/images'
import sharp from 'sharp'
import { createVectorizer } from '../../../vectorize/process/vectorizer.ts'
import { vectorize } from './endpoint.ts'

const DISC =
  '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><rect width="64" height="64" fill="#fff"/><circle cx="32" cy="32" r="24" fill="#0f766e"/></svg>'
const { rgba } = drawSvg(DISC, 64)
const png = await sharp(rgba, { raw: { width: 64, height: 64, channels: 4 } })
  .png()
  .toBuffer()
const base64 = png.toString('base64')
const ports = { fetch: createSafeFetch({ allowPrivateNetwork: true }), vectorizer: createVectorizer() }
const run = (provided: object) => runEndpoint(vectorize, provided, { ports })
const refusalOf = (provided: object) =>
  run(provided).then(
    () => 'answered',
    (error: unknown) => (error instanceof ProblemError ? error.problem.code : String(error)),
  )

let site: Awaited<ReturnType<typeof servePages>>
before(async () => {
  site = await servePages({
    '/logo.png': { headers: { 'content-type': 'application/octet-stream' }, body: png },
    '/page': 'no image',
    '/large.png': { body: Buffer.concat([png, Buffer.alloc(10 * 1024 * 1024)]) },
  })
})
after(() => site.close())

test('the image of a URL is traced as in the example, whatever its content type', async () => {
  const answer = await run({ url: `${site.url}/logo.png` })
  assert.equal(answer.source, `${site.url}/logo.png`)
  const { svg, colors, paths, nodes, width, height, output_bytes } = vectorize.example.output ?? assert.fail()
  assert.deepEqual(
    { ...answer, source: '', input_bytes: 0, duration_ms: 0, ts: '' },
    {
      source: '',
      output_format: 'svg',
      content_type: 'image/svg+xml',
      width,
      height,
      colors,
      paths,
      nodes,
      input_bytes: 0,
      output_bytes,
      svg,
      engine: 'tollbook',
      duration_ms: 0,
      ts: '',
    },
  )
  assert.equal(answer.input_bytes, png.length)
})

test('a data: URI becomes a PDF of the requested size, in base64', async () => {
  const provided = { image_base64: `data:image/png;base64,${base64}`, output_format: 'pdf', scale: 2.5 }
  const answer = await run({ ...provided, mode: 'preview', background: 'remove', palette: ['navy'] })
  // 64 pixels, 2.5 points each.
  assert.deepEqual([answer.width, answer.height, answer.content_type], [160, 160, 'application/pdf'])
  const pdf = Buffer.from(answer.data_base64, 'base64')
  assert.equal(pdf.length, answer.output_bytes)
  assert.match(pdf.toString('latin1'), /^%PDF-1\.4.*\/MediaBox\[0 0 160 160\].*%%EOF\n$/s)
})

test('invalid arguments are reported before payment', () => {
  const provided = (more: object) =>
    issuesOf(vectorize, more).map(({ parameter, code }) => `${parameter} ${code}`)
  assert.deepEqual(provided({}), ['url undefined'])
  assert.deepEqual(provided({ url: 'https://example.com/a.png', image_base64: base64 }), [
    'image_base64 undefined',
  ])
  assert.deepEqual(provided({ image_base64: 'data:image/png,%89PNG' }), ['image_base64 undefined'])
  const svg = Buffer.from(DISC).toString('base64')
  assert.deepEqual(provided({ image_base64: svg }), ['image_base64 unsupported_media_type'])
  const tooMuch = base64.slice(0, 40) + 'A'.repeat(14 * 1024 * 1024)
  assert.deepEqual(provided({ image_base64: tooMuch }), ['image_base64 too_large'])
  assert.deepEqual(provided({ image_base64: base64, palette: ['red', 'no colour', '#0008'] }), [
    'palette.1 undefined',
    'palette.2 undefined',
  ])
})

test('input that is not an image is rejected', async () => {
  assert.equal(await refusalOf({ url: `${site.url}/page` }), 'cannot_be_served')
  assert.equal(await refusalOf({ url: `${site.url}/gone` }), 'upstream_failed')
  assert.equal(await refusalOf({ url: `${site.url}/large.png` }), 'cannot_be_served')
  const half = png.subarray(0, png.length / 2).toString('base64')
  assert.equal(await refusalOf({ image_base64: half }), 'cannot_be_served')
  // An image of 96 pixels, 100 times as large, has sides of 9600; the limit is 8192.
  const wide = await sharp({ create: { width: 96, height: 2, channels: 3, background: '#fff' } })
    .png()
    .toBuffer()
  const huge = { image_base64: wide.toString('base64'), output_format: 'png', scale: 100 }
  assert.equal(await refusalOf(huge), 'cannot_be_served')
  // 2 pixels, a hundredth as large, are none.
  assert.equal(await refusalOf({ ...huge, scale: 0.01 }), 'cannot_be_served')
})
