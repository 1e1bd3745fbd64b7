import { deflateSync } from 'node:zlib'
import type { Contour, Drawing, Point, Rgb } from '../image.ts'
import { shortNumber } from './svg.ts'

/**
 * Writes a drawing as PDF 1.4 (ISO 32000-1): one page without margins, one pixel per point (1/72 inch) at
 * scale 1.
 * @param scale points per pixel
 */
export function writePdf(drawing: Drawing, scale: number): Uint8Array {
  const [width, height] = [shortNumber(drawing.width * scale), shortNumber(drawing.height * scale)]
  const turned = `${shortNumber(scale, 6)} 0 0 ${shortNumber(-scale, 6)} 0 ${height} cm\n`
  const content = deflateSync(Buffer.from(turned + paint(drawing), 'latin1'), { level: 9 })
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

/** The PDF operators that paint a drawing in pixel coordinates, y downwards, one per line. */
function paint({ layers }: Drawing): string {
  return layers
    .map(({ colour, contours }) => `${shares(colour)} rg\n${contours.map(writeContour).join('')}f\n`)
    .join('')
}

function shares(colour: Rgb): string {
  return colour.map((channel) => String(Number((channel / 255).toFixed(4)))).join(' ')
}

function writeContour({ start, segments }: Contour): string {
  const lines = segments.map((segment) =>
    segment.kind === 'line'
      ? `${place(segment.to)} l`
      : `${place(segment.first)} ${place(segment.second)} ${place(segment.to)} c`,
  )
  return `${place(start)} m\n${lines.join('\n')}\nh\n`
}

function place({ x, y }: Point): string {
  return `${shortNumber(x)} ${shortNumber(y)}`
}

/**
 * Writes a drawing as Encapsulated PostScript, version 3.0 of the format (Adobe Technical Note 5002), for
 * PostScript level 2. Unpainted areas are transparent.
 * @param scale points per pixel
 */
export function writeEps(drawing: Drawing, scale: number): string {
  const [width, height] = [drawing.width * scale, drawing.height * scale]
  return `%!PS-Adobe-3.0 EPSF-3.0
%%BoundingBox: 0 0 ${Math.ceil(width)} ${Math.ceil(height)}
%%HiResBoundingBox: 0 0 ${shortNumber(width)} ${shortNumber(height)}
%%LanguageLevel: 2
%%Pages: 1
%%EndComments
%%Page: 1 1
10 dict begin
/m /moveto load def /l /lineto load def /c /curveto load def
/h /closepath load def /f /fill load def /rg /setrgbcolor load def
gsave
0 ${shortNumber(height)} translate ${shortNumber(scale, 6)} ${shortNumber(-scale, 6)} scale
${paint(drawing)}grestore
end
showpage
%%EOF
`
}
