import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findImageKind, type ImageKind } from '@tollbook/flow/image-kind'
import { drawSvg } from '@tollbook/testing/utility/images'
import { encode } from 'bmp-ts'
import sharp from 'sharp'
import { decodeImage, restrictLoaders } from './decode-image.ts'
import { isLossy } from './is-lossy.ts'

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="32" height="24"><rect width="32" height="24" fill="#fff"/><rect x="8" y="4" width="8" height="16" fill="#d21f3c"/></svg>'
const image = drawSvg(SVG, 32)
const raw = () => sharp(image.rgba, { raw: { width: 32, height: 24, channels: 4 } })
const bmpOf = (bitPP: 24 | 32) => {
  const abgr = Buffer.alloc(image.rgba.length)
  image.rgba.forEach((_, at) => {
    const pixel = at - (at % 4)
    abgr[at] = image.rgba[pixel + 3 - (at % 4)] ?? 0
  })
  return encode({ data: abgr, width: 32, height: 24, bitPP }).data
}
const files: Readonly<Record<ImageKind, Uint8Array>> = {
  png: await raw().png().toBuffer(),
  jpeg: await raw().jpeg({ quality: 95 }).toBuffer(),
  gif: await raw().gif().toBuffer(),
  webp: await raw().webp({ lossless: true }).toBuffer(),
  bmp: bmpOf(24),
}
const lossyWebp = await raw().webp({ quality: 80 }).toBuffer()
const withAlpha = await raw().removeAlpha().ensureAlpha(0.5).webp({ quality: 80 }).toBuffer()
restrictLoaders()
const decode = (bytes: Uint8Array, kind: ImageKind, max = 1_000_000) => decodeImage(bytes, kind, max)
const at = (rgba: Uint8Array, x: number, y: number) => [
  ...rgba.subarray(4 * (y * 32 + x), 4 * (y * 32 + x) + 4),
]

for (const [kind, file] of Object.entries(files) as [ImageKind, Uint8Array][])
  test(`${kind} is recognised by its first bytes and decoded`, async () => {
    assert.equal(findImageKind(file), kind)
    const { bitmap, width, height } = await decode(file, kind)
    assert.deepEqual([width, height, bitmap.width, bitmap.height], [32, 24, 32, 24])
    for (const [place, colour] of [
      [at(bitmap.rgba, 2, 2), [255, 255, 255, 255]],
      [at(bitmap.rgba, 12, 12), [210, 31, 60, 255]],
    ] as const)
      for (const [channel, value] of colour.entries())
        assert.ok(Math.abs((place[channel] ?? 0) - value) <= 4, `${place}`)
  })

test('a 32-bit BMP whose alpha is zero everywhere is opaque', async () => {
  const file = bmpOf(32)
  for (let pixel = file.readUInt32LE(10) + 3; pixel < file.length; pixel += 4) file[pixel] = 0
  assert.deepEqual(at((await decode(file, 'bmp')).bitmap.rgba, 12, 12).at(-1), 255)
})

test('a larger image is scaled down in proportion, and its original size is returned', async () => {
  const { bitmap, width, height } = await decode(files.png, 'png', 192)
  // 768 pixels to 192: half of each side.
  assert.deepEqual([bitmap.width, bitmap.height, width, height], [16, 12, 32, 24])
})

test('an image taken with a rotated camera is turned upright', async () => {
  sharp.unblock({ operation: ['VipsForeignLoad'] })
  const turned = await sharp(files.jpeg).withMetadata({ orientation: 6 }).toBuffer()
  restrictLoaders()
  const { width, height, bitmap } = await decode(turned, 'jpeg')
  assert.deepEqual([width, height, bitmap.width, bitmap.height], [24, 32, 24, 32])
})

test('files of other types never reach a decoder', async () => {
  assert.equal(findImageKind(Buffer.from(SVG)), null)
  assert.equal(findImageKind(Buffer.from('%PDF-1.4')), null)
  assert.equal(findImageKind(new Uint8Array()), null)
  await assert.rejects(decode(Buffer.from(SVG), 'png'), { message: 'the PNG is corrupt' })
  await assert.rejects(sharp(Buffer.from(SVG)).metadata())
})

test('a corrupt image is rejected', async () => {
  for (const kind of ['png', 'jpeg', 'webp', 'gif', 'bmp'] as const) {
    const file = files[kind]
    await assert.rejects(decode(file.subarray(0, file.length * 0.6), kind), { name: 'Undecodable' }, kind)
  }
})

test('a BMP shorter than its header declares is rejected before memory is allocated', async () => {
  const write = (change: (file: Buffer) => void) => {
    const file = Buffer.from(files.bmp)
    change(file)
    return decode(file, 'bmp')
  }
  const expect = (promise: Promise<unknown>, message: RegExp) => assert.rejects(promise, { message })
  await expect(
    write((file) => file.writeInt32LE(2_000_000_000, 18)),
    /too many pixels \(limit 40000000\)/,
  )
  await expect(
    write((file) => file.writeInt32LE(-3000, 22)),
    /shorter than its header declares/,
  )
  await expect(
    write((file) => file.writeInt32LE(0, 18)),
    /no pixels/,
  )
  await expect(
    write((file) => file.writeUInt32LE(1, 30)),
    /compressed/,
  )
  await expect(
    write((file) => file.writeUInt32LE(12, 14)),
    /unsupported version/,
  )
  await expect(
    write((file) => file.writeUInt32LE(0xffffffff, 46)),
    /colour table/,
  )
  await expect(
    write((file) => file.writeUInt32LE(0xfffffff0, 10)),
    /shorter than its header declares/,
  )
})

test('an image with too many pixels is rejected by its header', async () => {
  // A PNG of 7000 x 7000 pixels has 49 million.
  const header = Buffer.from(files.png)
  header.writeUInt32BE(7000, 16)
  header.writeUInt32BE(7000, 20)
  await assert.rejects(decode(header, 'png'), { name: 'Undecodable' })
})

test('an image of one column is rejected by its header, since each row takes time', async () => {
  const column = { width: 1, height: 65_536, channels: 3, background: '#fff' } as const
  const file = await sharp({ create: column }).png().toBuffer()
  await assert.rejects(decode(file, 'png'), { message: 'the image is too long (limit 65535 pixels)' })
})

test('a JPEG and a WebP with a lossy chunk, also behind alpha, are lossy', () => {
  for (const [kind, file] of Object.entries(files) as [ImageKind, Uint8Array][])
    assert.equal(isLossy(file, kind), kind === 'jpeg', kind)
  assert.equal(isLossy(lossyWebp, 'webp'), true)
  assert.equal(withAlpha.toString('latin1', 12, 16), 'VP8X')
  assert.equal(isLossy(withAlpha, 'webp'), true)
  assert.equal(isLossy(lossyWebp.subarray(0, 14), 'webp'), false)
})
