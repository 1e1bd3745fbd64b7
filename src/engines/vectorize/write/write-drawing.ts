import type { Drawing } from '../picture.ts'
import { writeDxf } from './dxf.ts'
import { writeEps } from './eps.ts'
import { writePdf } from './pdf.ts'
import { writePng } from './png.ts'
import { writeSvg } from './svg.ts'

export const OUTPUT_FORMATS = ['svg', 'png', 'pdf', 'eps', 'dxf'] as const
export type OutputFormat = (typeof OUTPUT_FORMATS)[number]

export const CONTENT_TYPES: Readonly<Record<OutputFormat, string>> = {
  svg: 'image/svg+xml',
  png: 'image/png',
  pdf: 'application/pdf',
  eps: 'application/postscript',
  dxf: 'image/vnd.dxf',
}

/** @param scale size of the output relative to the drawing */
export function writeDrawing(drawing: Drawing, format: OutputFormat, scale: number): Uint8Array {
  switch (format) {
    case 'svg':
      return Buffer.from(writeSvg(drawing, scale))
    case 'png':
      return writePng(drawing, scale)
    case 'pdf':
      return writePdf(drawing, scale)
    case 'eps':
      return Buffer.from(writeEps(drawing, scale))
    case 'dxf':
      return Buffer.from(writeDxf(drawing, scale))
    default:
      return format satisfies never
  }
}
