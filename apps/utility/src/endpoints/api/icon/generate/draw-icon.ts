import { readFile } from 'node:fs/promises'
import { Resvg } from '@resvg/resvg-js'
import { type IconStyle, iconFile } from '../../../../engines/icons/icon-file.ts'
import { composeIcon, type IconDesign, type Outline } from './compose-icon.ts'

export type Drawing = {
  readonly name: string
  readonly style: IconStyle
  readonly design: IconDesign
  readonly isPngWanted: boolean
}

/** Renders the icon as SVG, and as a PNG of exactly the design's size in base64. Runs in a worker. */
export async function drawIcon({ name, style, design, isPngWanted }: Drawing) {
  const outline = readOutline(await readFile(iconFile(name, style), 'utf8'))
  const svg = composeIcon(outline, design)
  const png = isPngWanted ? render(svg).render().asPng().toString('base64') : null
  return { svg, png }
}

/** @throws Error if the file does not have the format of Font Awesome's icons. */
function readOutline(file: string): Outline {
  const [, width = '', height = ''] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(file) ?? []
  const paths = [...file.matchAll(/<path [^>]*?\bd="([\d\s.,a-zA-Z-]+)"/g)].map((match) => match[1] ?? '')
  const credit = /<!--(.*?)-->/s.exec(file)?.[1]
  if (credit === undefined || paths.length === 0 || width === '') throw new Error('not an icon file')
  const frame = { x: 0, y: 0, width: Number(width), height: Number(height) }
  return { paths, box: surround(frame, paths), credit: credit.trim() }
}

/** The frame, enlarged to include parts outside it: many outlines overflow by up to 16 of 512 units. */
function surround(frame: Outline['box'], paths: readonly string[]): Outline['box'] {
  const drawn = paths.map((path) => `<path d="${path}"/>`).join('')
  const document = `<svg xmlns="http://www.w3.org/2000/svg" width="${frame.width}" height="${frame.height}">${drawn}</svg>`
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
