import { Resvg } from '@resvg/resvg-js'
import type { Drawing } from '../picture.ts'
import { writeSvg } from './svg.ts'

/** Renders a drawing as pixels again, at another size. */
export function writePng(drawing: Drawing, scale: number): Uint8Array {
  const options = { font: { loadSystemFonts: false }, imageRendering: 0, shapeRendering: 2 } as const
  return new Resvg(writeSvg(drawing, scale), options).render().asPng()
}
