import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { createOpenClient } from '@tollbook/testing/catalogue/open-client'
import { issuesOf, runEndpoint } from '@tollbook/testing/catalogue/run-endpoint'
import { createTestApp } from '@tollbook/testing/catalogue/test-app'
import { fc } from '@tollbook/testing/property'
import { decodePng } from '@tollbook/testing/utility/decode-png'
import {
  drawMatrix,
  fillVersion,
  type Image,
  LEVELS,
  MODES,
  readByJsqr,
  readByZxing,
  scatter,
} from '@tollbook/testing/utility/qr-readers'
import { qr } from './endpoint.ts'
import { buildQrMatrix } from './qr-matrix.ts'

const GOLDEN = join(import.meta.dirname, 'golden')
/** ISO/IEC 18004 table 7, version 40: digits, alphanumeric characters, bytes. */
const MAX = {
  L: [7089, 4296, 2953],
  M: [5596, 3391, 2331],
  Q: [3993, 2420, 1663],
  H: [3057, 1852, 1273],
} as const

const decode = readByJsqr

async function ask(data: string, options: Record<string, unknown> = {}) {
  const answer = await runEndpoint(qr, { data, ...options })
  return { ...answer, image: decodePng(Buffer.from(answer.png_base64, 'base64')) }
}

/** Renders the one path of the SVG, whose runs are `Mx yhnv1h-nz`, with four pixels per module. */
function drawSvg(svg: string): Image {
  const side = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1])
  const width = side * 4
  const rgba = new Uint8ClampedArray(4 * width * width).fill(255)
  for (const [, x, y, length, back] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1h-(\d+)z/g)) {
    assert.equal(length, back)
    for (let row = 4 * Number(y); row < 4 * Number(y) + 4; row++)
      for (let at = 4 * Number(x); at < 4 * (Number(x) + Number(length)); at++)
        rgba.set([0, 0, 0], 4 * (row * width + at))
  }
  return { rgba, width, height: width }
}

test('small texts decode at every level and size, with exactly the requested pixels', async () => {
  for (const size of [64, 101, 256])
    for (const ecc of LEVELS)
      for (const margin of [0, 4]) {
        const { image } = await ask('https://tollbook.example/?q=1', { size, ecc, margin })
        assert.deepEqual([image.width, image.height], [size, size])
        assert.equal(decode(image), 'https://tollbook.example/?q=1', `${size} ${ecc} ${margin}`)
      }
})

test('an image of 2048 pixels decodes', async () => {
  const { image } = await ask('tollbook', { size: 2048 })
  assert.deepEqual([image.width, decode(image)], [2048, 'tollbook'])
})

for (const ecc of LEVELS) {
  const [digits, letters, bytes] = MAX[ecc]

  test(`the ${bytes} bytes of level ${ecc} decode from PNG and SVG`, async () => {
    const text = scatter(bytes, 'abcdefghijklmnopqrstuvwxyz0123456789-_~?=&')
    const answer = await ask(text, { ecc })
    assert.equal(answer.version, 40)
    assert.equal(decode(answer.image), text)
    assert.equal(decode(drawSvg(answer.svg)), text)
  })

  test(`level ${ecc} accepts the maximum payload of each kind and rejects one character more`, () => {
    for (const text of ['7'.repeat(digits), 'A'.repeat(letters), 'a'.repeat(bytes)]) {
      assert.deepEqual(issuesOf(qr, { data: text, ecc }), [])
      const [issue] = issuesOf(qr, { data: text + text[0], ecc })
      assert.equal(issue?.code, 'cannot_be_served')
      assert.match(issue.detail, new RegExp(`^has \\d+ .* ecc ${ecc} holds at most ${bytes} bytes`))
    }
  })
}

test('the maximum digits and letters decode', async () => {
  const digits = scatter(MAX.H[0], '0123456789')
  assert.equal(decode((await ask(digits, { ecc: 'H' })).image), digits)
  const letters = scatter(MAX.L[1], '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:')
  assert.equal(decode((await ask(letters, { ecc: 'L' })).image), letters)
})

test('the largest symbol decodes with one pixel per module', async () => {
  const text = scatter(1273, 'abcdefgh')
  const { image } = await ask(text, { ecc: 'H', size: 185, margin: 4 })
  assert.equal(decode(image), text)
})

test('text beyond ASCII is UTF-8', async () => {
  for (const text of ['Grüße', '世界', '🌍🌍', 'naïve café', 'Ж']) {
    const { image } = await ask(text)
    assert.equal(readByJsqr(image), text)
    assert.equal(readByZxing(image), text)
  }
  // 7 bytes, and 8 bits of length: 4 + 8 + 56 = 68 of the 72 bits of version 1 at level H.
  assert.equal((await ask('Grüße', { ecc: 'H' })).version, 1)
  // 1476 letters of two bytes and one of one byte are 2953 bytes.
  assert.deepEqual(issuesOf(qr, { data: `${'é'.repeat(1476)}a`, ecc: 'L' }), [])
  assert.match(issuesOf(qr, { data: 'é'.repeat(1477), ecc: 'L' })[0]?.detail ?? '', /has 2954 bytes/)
})

test('symbols of every version decode in two readers', () => {
  for (let version = 1; version <= 40; version++) {
    const ecc = LEVELS[version % 4] ?? 'L'
    const mode = MODES[Math.floor(version / 4) % 4] ?? 'utf8'
    const content = fillVersion(version, ecc, mode)
    const matrix = buildQrMatrix(content)
    assert.equal(matrix.version, version)
    const image = drawMatrix(matrix, 2)
    assert.equal(readByZxing(image), content.text, `ZXing, version ${version}`)
    assert.equal(readByJsqr(image), content.text, `jsQR, version ${version}`)
  }
})

test('any short text decodes from the SVG and from the PNG', async () => {
  const text = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
    .filter((data) => data.isWellFormed())
  await fc.assert(
    fc.asyncProperty(text, fc.constantFrom(...LEVELS), async (data, ecc) => {
      const answer = await ask(data, { ecc, size: 120, margin: 4 })
      assert.equal(decode(answer.image), data)
      assert.equal(decode(drawSvg(answer.svg)), data)
    }),
    // Each run reads two images, which takes jsQR some 20 ms.
    { numRuns: 15 },
  )
})

test('the quiet zone has at least the requested modules on every side', async () => {
  const { image, modules } = await ask('tollbook', { size: 500, margin: 7 })
  const scale = Math.floor(500 / (modules + 14))
  const isDark = (x: number, y: number) => image.rgba[4 * (y * image.width + x)] === 0
  const dark = Array.from({ length: 500 * 500 }, (_, at) => [at % 500, Math.floor(at / 500)] as const).filter(
    ([x, y]) => isDark(x, y),
  )
  const ends = [Math.min, Math.max].flatMap((end) =>
    [0, 1].map((axis) => end(...dark.map((at) => at[axis] ?? 0))),
  )
  const quiet = [ends[0] ?? 0, ends[1] ?? 0, 499 - (ends[2] ?? 0), 499 - (ends[3] ?? 0)]
  for (const pixels of quiet) assert.ok(pixels >= 7 * scale, `${pixels}`)
  assert.ok(Math.max(...quiet) - Math.min(...quiet) <= 1)
})

test('colours and transparency are applied to both documents', async () => {
  const answer = await ask('tollbook', { dark: '#13579b', light: 'transparent', size: 100 })
  assert.deepEqual([...answer.image.rgba.subarray(0, 4)], [0, 0, 0, 0])
  const pixels = new Set<string>()
  for (let at = 0; at < answer.image.rgba.length; at += 4)
    pixels.add([...answer.image.rgba.subarray(at, at + 4)].join(' '))
  assert.deepEqual([...pixels], ['0 0 0 0', '19 87 155 255'])
  assert.match(answer.svg, /fill="#13579b"/)
  assert.doesNotMatch(answer.svg, /<rect/)
  assert.match((await ask('tollbook', { light: '#ffff' })).svg, /<rect [^>]*fill="#ffffff"/)
  assert.match((await ask('tollbook', { dark: '#0008' })).svg, /fill="#000000" fill-opacity="0.5333"/)
})

test('options that hinder readers cause warnings', async () => {
  const warnings = async (options: Record<string, unknown>) =>
    (await ask('tollbook', { margin: 4, size: 100, ...options })).warnings
  assert.deepEqual(await warnings({}), [])
  assert.match((await warnings({ margin: 2 })).join(), /margin is 2: ISO/)
  assert.match((await warnings({ dark: '#fff', light: '#000' })).join(), /dark is lighter than light/)
  assert.match((await warnings({ dark: '#999' })).join(), /contrast of dark and light is 2.85:1/)
  assert.match((await warnings({ light: '#ffff0080' })).join(), /light is not opaque/)
  assert.match((await warnings({ size: 33 })).join(), /1 pixel wide/)
})

test('answers are the golden documents', async (t) => {
  const { image, png_base64, data_uri, ...answer } = await ask('https://tollbook.example', {
    ecc: 'Q',
    size: 256,
    margin: 4,
  })
  t.assert.fileSnapshot(answer, join(GOLDEN, 'url.json'))
  t.assert.fileSnapshot(answer.svg, join(GOLDEN, 'url.svg'), { serializers: [(svg) => `${svg}\n`] })
  assert.equal(data_uri, `data:image/png;base64,${png_base64}`)
  assert.equal(image.width, 256)
})

test("the example is the endpoint's answer", async () => {
  // The compressor may produce other bytes on another processor, so the PNGs are compared by their pixels.
  const { png_base64: provided, data_uri: _given, ...expected } = qr.example.output
  const { png_base64: drawn, data_uri: _drawn, ...answer } = await runEndpoint(qr, qr.example.input)
  assert.deepEqual(answer, expected)
  assert.deepEqual(decodePng(Buffer.from(drawn, 'base64')), decodePng(Buffer.from(provided, 'base64')))
})

test('invalid options are reported before payment', () => {
  const issue = (provided: Record<string, unknown>) => issuesOf(qr, { data: 'tollbook', ...provided })[0]
  assert.equal(issue({ data: '' })?.parameter, 'data')
  assert.equal(issue({ data: '\ud83d' })?.parameter, 'data')
  assert.equal(issue({ ecc: 'X' })?.parameter, 'ecc')
  assert.equal(issue({ size: 4097 })?.parameter, 'size')
  assert.equal(issue({ size: 64.5 })?.parameter, 'size')
  assert.equal(issue({ margin: -1 })?.parameter, 'margin')
  assert.equal(issue({ dark: 'redd' })?.parameter, 'dark')
  assert.match(
    issue({ dark: '#777777', light: '#888888' })?.detail ?? '',
    /^has a contrast of 1\.26:1 to light, .* choose a darker dark/,
  )
  assert.deepEqual(issuesOf(qr, { data: 'tollbook', dark: '#fff', light: 'transparent' }), [])
  // Version 1 has 21 modules; with twice the margin of 2 that makes 25.
  assert.match(issue({ size: 24 })?.detail ?? '', /minimum 25/)
  assert.deepEqual(issuesOf(qr, { data: 'tollbook', size: 25 }), [])
})

test('a logo, a style and the mark of UTF-8, which version 1.0.0 accepted, are refused before payment', async () => {
  const { pay } = createOpenClient(createTestApp([qr]))
  for (const name of ['logo', 'style', 'eci']) {
    const { status, body } = await pay(`/api/qr?data=HELLO&${name}=x`)
    assert.deepEqual([status, body.code, body.issues[0].parameter], [400, 'unknown_parameter', name])
  }
})
