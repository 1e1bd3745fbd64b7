import assert from 'node:assert/strict'
import { crc32, inflateSync } from 'node:zlib'

export type DecodedPng = {
  readonly width: number
  readonly height: number
  /** Red, green, blue and alpha of each pixel, row by row. */
  readonly rgba: Uint8ClampedArray
}

/**
 * Decodes a PNG of one bit per pixel with a palette and unfiltered rows, and rejects all others: enough to
 * inspect the output of this product, by the standard (https://www.w3.org/TR/png-3/).
 */
export function decodePng(png: Uint8Array): DecodedPng {
  const chunks = readChunks(Buffer.from(png))
  const header = chunks.get('IHDR') ?? Buffer.alloc(13)
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  assert.deepEqual([...header.subarray(8)], [1, 3, 0, 0, 0])
  const palette = chunks.get('PLTE') ?? Buffer.alloc(0)
  const alphas = chunks.get('tRNS') ?? Buffer.of(255, 255)
  const lines = inflateSync(chunks.get('IDAT') ?? Buffer.alloc(0))
  const stride = 1 + Math.ceil(width / 8)
  assert.equal(lines.length, stride * height)
  // A pixel is written as one word: its four bytes in native byte order.
  const words = [0, 1].map((index) => {
    const colour = Uint8Array.of(...palette.subarray(3 * index, 3 * index + 3), alphas[index] ?? 255)
    return new Uint32Array(colour.buffer)[0] ?? 0
  })
  const pixels = new Uint32Array(width * height)
  for (let y = 0; y < height; y++) {
    assert.equal(lines[y * stride], 0, 'the filter byte of a row')
    for (let x = 0; x < width; x++) {
      const byte = lines[y * stride + 1 + (x >> 3)] ?? 0
      pixels[y * width + x] = words[(byte >> (7 - (x & 7))) & 1] ?? 0
    }
  }
  const rgba = new Uint8ClampedArray(pixels.buffer)
  return { width, height, rgba }
}

function readChunks(png: Buffer): ReadonlyMap<string, Buffer> {
  assert.equal(png.subarray(0, 8).toString('latin1'), '\x89PNG\r\n\x1a\n')
  const chunks = new Map<string, Buffer>()
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at)
    const typed = png.subarray(at + 4, at + 8 + length)
    assert.equal(png.readUInt32BE(at + 8 + length), crc32(typed))
    chunks.set(typed.toString('latin1', 0, 4), typed.subarray(4))
    at += 12 + length
  }
  return chunks
}
