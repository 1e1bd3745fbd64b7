import { Resvg } from '@resvg/resvg-js'
import type { IconOutline } from '../../../../engines/icons/icon-outline.ts'
import { ICON_CREDIT } from '../../../../engines/icons/icon-set.ts'
import { composeIcon, type IconDesign, type Outline } from './compose-icon.ts'

export type Drawing = {
  readonly icon: IconOutline
  readonly design: IconDesign
  readonly isPngWanted: boolean
}

/** Renders the icon as SVG, and as a PNG of exactly the design's size in base64. Runs in a worker. */
export function drawIcon({ icon: { width, height, path }, design, isPngWanted }: Drawing) {
  const box = surround({ x: 0, y: 0, width, height }, path)
  const svg = composeIcon({ path, box, credit: ICON_CREDIT }, design)
  const png = isPngWanted ? render(svg).render().asPng().toString('base64') : null
  return { svg, png }
}

/** The frame, enlarged to include parts outside it: many outlines overflow by up to 16 of 512 units. */
function surround(frame: Outline['box'], path: string): Outline['box'] {
  const document = `<svg xmlns="http://www.w3.org/2000/svg" width="${frame.width}" height="${frame.height}"><path d="${path}"/></svg>`
  const seen = render(document).getBBox()
  if (!seen) return frame
  const [x, y] = [Math.min(frame.x, seen.x), Math.min(frame.y, seen.y)]
  return {
    x,
    y,
    width: Math.max(frame.width, seen.x + seen.width) - x,
    height: Math.max(frame.height, seen.y + seen.height) - y,
  }
}

function render(svg: string): Resvg {
  return new Resvg(svg, { font: { loadSystemFonts: false } })
}
