import { crc32, deflateSync } from 'node:zlib'
import type { Colour } from '@tollbook/a11y/colour/colour'
import type { QrMatrix } from './qr-matrix.ts'
import type { QrStyle } from './render-svg.ts'

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)

/** Pixels per module in the PNG: the largest integer that leaves room for the quiet zone. */
export function pixelsPerModule(modules: number, { size, margin }: Pick<QrStyle, 'size' | 'margin'>): number {
  return Math.floor(size / (modules + 2 * margin))
}

/**
 * A PNG of exactly `size` pixels with two palette colours. Every module has the same integer number of
 * pixels; the rest widens the quiet zone evenly.
 * @see https://www.w3.org/TR/png-3/
 * @throws RangeError if a module would be smaller than a pixel.
 */
export function renderPng(matrix: QrMatrix, style: QrStyle): Uint8Array {
  const { size, dark, light } = style
  const scale = pixelsPerModule(matrix.modules, style)
  if (scale < 1) throw new RangeError(`${size} pixels cannot hold ${matrix.modules} modules and their margin`)
  const offset = Math.floor((size - scale * matrix.modules) / 2)
  const isOpaque = dark.alpha === 1 && light.alpha === 1
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header(size)),
    chunk(
      'PLTE',
      Uint8Array.from(
        [light, dark].flatMap(({ red, green, blue }) => [red, green, blue]),
        Math.round,
      ),
    ),
    ...(isOpaque ? [] : [chunk('tRNS', Uint8Array.of(toByte(light.alpha), toByte(dark.alpha)))]),
    chunk('IDAT', deflateSync(scanlines(matrix, { size, scale, offset }), { level: 9 })),
    chunk('IEND', new Uint8Array()),
  ])
}

type Placement = Pick<QrStyle, 'size'> & { readonly scale: number; readonly offset: number }

/** Rows of one filter byte (0, none) and one bit per pixel, most significant first; 1 is dark. */
function scanlines({ rows }: QrMatrix, { size, scale, offset }: Placement): Uint8Array {
  const stride = 1 + Math.ceil(size / 8)
  const pixels = new Uint8Array(stride * size)
  rows.forEach((row, y) => {
    const line = new Uint8Array(stride)
    row.forEach((isDark, x) => {
      const from = offset + x * scale
      for (let at = from; isDark && at < from + scale; at++)
        line[1 + (at >> 3)] = (line[1 + (at >> 3)] ?? 0) | (0x80 >> (at & 7))
    })
    for (let inner = 0; inner < scale; inner++) pixels.set(line, (offset + y * scale + inner) * stride)
  })
  return pixels
}

/** Width, height, 1 bit per pixel, palette colour, the standard compression and filters, not interlaced. */
function header(size: number): Uint8Array {
  const bytes = Buffer.alloc(13)
  bytes.writeUInt32BE(size, 0)
  bytes.writeUInt32BE(size, 4)
  bytes.set([1, 3, 0, 0, 0], 8)
  return bytes
}

function chunk(type: string, content: Uint8Array): Uint8Array {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(content.length, 0)
  frame.writeUInt32BE(crc32(typed), 4)
  return Buffer.concat([frame.subarray(0, 4), typed, frame.subarray(4)])
}

function toByte(alpha: Colour['alpha']): number {
  return Math.round(alpha * 255)
}
