import { deflateSync } from 'node:zlib'
import type { Drawing } from '../picture.ts'
import { paint } from './painting.ts'
import { shortNumber } from './short-number.ts'

const OPERATORS = { move: 'm', line: 'l', curve: 'c', close: 'h', fill: 'f', colour: 'rg' }

/**
 * Writes a drawing as PDF 1.4 (ISO 32000-1): one page without margins, one pixel per point (1/72 inch) at
 * scale 1.
 * @param scale points per pixel
 */
export function writePdf(drawing: Drawing, scale: number): Uint8Array {
  const [width, height] = [shortNumber(drawing.width * scale), shortNumber(drawing.height * scale)]
  const turned = `${shortNumber(scale, 6)} 0 0 ${shortNumber(-scale, 6)} 0 ${height} cm\n`
  const content = deflateSync(Buffer.from(turned + paint(drawing, OPERATORS), 'latin1'), { level: 9 })
  const page = `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${width} ${height}]/Resources<<>>/Contents 4 0 R>>`
  return assemble([
    Buffer.from('<</Type/Catalog/Pages 2 0 R>>'),
    Buffer.from('<</Type/Pages/Kids[3 0 R]/Count 1>>'),
    Buffer.from(page),
    Buffer.concat([
      Buffer.from(`<</Length ${content.length}/Filter/FlateDecode>>\nstream\n`),
      content,
      Buffer.from('\nendstream'),
    ]),
  ])
}

/** Header, numbered objects, their offsets, and the position of that table. */
function assemble(objects: readonly Buffer[]): Uint8Array {
  const parts = [Buffer.from('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n', 'latin1')]
  const offsets: number[] = []
  let length = parts[0]?.length ?? 0
  for (const [at, object] of objects.entries()) {
    const part = Buffer.concat([Buffer.from(`${at + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')])
    offsets.push(length)
    length += part.length
    parts.push(part)
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const count = objects.length + 1
  const table = `xref\n0 ${count}\n0000000000 65535 f \n${rows}`
  parts.push(Buffer.from(`${table}trailer\n<</Size ${count}/Root 1 0 R>>\nstartxref\n${length}\n%%EOF\n`))
  return Buffer.concat(parts)
}
