import { Resvg } from '@resvg/resvg-js'
import type { Drawing } from '../image.ts'
import { writeDxf } from './dxf.ts'
import { writeEps, writePdf } from './page-description.ts'
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

/** Renders a drawing as pixels again, at another size. */
function writePng(drawing: Drawing, scale: number): Uint8Array {
  const options = { font: { loadSystemFonts: false }, imageRendering: 0, shapeRendering: 2 } as const
  return new Resvg(writeSvg(drawing, scale), options).render().asPng()
}
