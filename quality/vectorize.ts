import { vectorizeRawSync } from '@neplex/vectorizer'
import { drawPhoto, drawSvg, iconSvg, psnr } from '@tollbook/testing/utility/images'
import { outlinePaths } from '@tollbook/utility/engines/icons/icon-outline'
import { type Bitmap, countNodes } from '@tollbook/vectorize/image'
import { vectorize } from '@tollbook/vectorize/vectorize'
import { writeSvg } from '@tollbook/vectorize/write/svg'
import imagetracer from 'imagetracerjs'
import sharp from 'sharp'
import { meanOf, printFigure, type Suite, showProgress } from './suite.ts'

/** Icons per style, chosen at even steps by name: 42 in total. */
const ICONS_PER_STYLE = 14
const STYLES = ['solid', 'regular', 'brands']
const ICON_PIXELS = 512
const PHOTO_PIXELS = 1000
const PHOTO_COLOURS = 32

type Traced = { readonly svg: string; readonly nodes: number }
type Tracer = {
  readonly name: string
  /** Whether it can trace a photo; vtracer takes a minute for one. */
  readonly takesPhotos: boolean
  trace(bitmap: Bitmap, colours: number): Traced | Promise<Traced>
}

const TRACERS: readonly Tracer[] = [
  {
    name: 'tollbook',
    takesPhotos: true,
    trace(bitmap, maxColours) {
      const options = { maxColours, palette: null, minAreaPx: null, removesBackground: false }
      const drawing = vectorize(bitmap, options)
      return { svg: writeSvg(drawing, 1), nodes: countNodes(drawing) }
    },
  },
  { name: '@neplex/vectorizer', takesPhotos: false, trace: (bitmap) => traceByNeplex(bitmap) },
  {
    name: '@neplex/vectorizer, 4x',
    takesPhotos: false,
    trace: async (bitmap) => traceByNeplex(await enlarge(bitmap)),
  },
  { name: 'imagetracerjs', takesPhotos: true, trace: traceByImagetracer },
]

/** Icons and a photo-like image, traced and rendered again, next to two other tracers in the same run. */
export const vectorizeSuite: Suite = {
  name: 'vectorize',
  summary: 'traced icons of Font Awesome and a drawn photo: PSNR, nodes, size and time next to other tracers',
  needsFolder: false,
  async run({ every }) {
    const icons = STYLES.flatMap(chooseIcons).filter((_, at) => at % every === 0)
    const measured = new Map(TRACERS.map(({ name }) => [name, [] as Measured[]]))
    for (const [done, icon] of icons.entries()) {
      const bitmap = drawSvg(iconSvg(icon), ICON_PIXELS)
      for (const tracer of TRACERS) measured.get(tracer.name)?.push(await measure(tracer, bitmap, 16))
      showProgress('vectorize', done + 1, icons.length)
    }
    for (const [name, all] of measured) print(`icons, ${name}`, all)
    const photo = drawPhoto(PHOTO_PIXELS, PHOTO_PIXELS)
    for (const tracer of TRACERS.filter(({ takesPhotos }) => takesPhotos))
      print(`photo, ${tracer.name}`, [await measure(tracer, photo, PHOTO_COLOURS)])
  },
}

function chooseIcons(style: string): string[] {
  const paths = outlinePaths()
    .filter((path) => path.startsWith(`${style}/`))
    .sort()
  const step = Math.floor(paths.length / ICONS_PER_STYLE)
  return Array.from({ length: ICONS_PER_STYLE }, (_, at) => paths[at * step] ?? '')
}

type Measured = {
  readonly psnr: number
  readonly nodes: number
  readonly kilobytes: number
  readonly cpuMs: number
}

async function measure(tracer: Tracer, bitmap: Bitmap, colours: number): Promise<Measured> {
  const before = process.cpuUsage()
  const { svg, nodes } = await tracer.trace(bitmap, colours)
  const { user, system } = process.cpuUsage(before)
  return {
    psnr: psnr(bitmap, drawSvg(svg, bitmap.width)),
    nodes,
    kilobytes: svg.length / 1000,
    cpuMs: (user + system) / 1000,
  }
}

function print(what: string, all: readonly Measured[]): void {
  const figure = (name: string, values: readonly number[], value = meanOf(values)) =>
    printFigure({ suite: 'vectorize', figure: `${what}: ${name}`, value, of: all.length })
  const ratios = all.map((one) => one.psnr)
  figure('PSNR, dB', ratios)
  figure('worst PSNR, dB', ratios, Math.min(...ratios))
  figure(
    'nodes',
    all.map(({ nodes }) => nodes),
  )
  figure(
    'KB of SVG',
    all.map(({ kilobytes }) => kilobytes),
  )
  figure(
    'processor time, ms',
    all.map(({ cpuMs }) => cpuMs),
  )
}

async function enlarge({ width, height, rgba }: Bitmap): Promise<Bitmap> {
  const size = { width: width * 4, height: height * 4 }
  const data = await sharp(rgba, { raw: { width, height, channels: 4 } })
    .resize({ ...size, kernel: 'cubic' })
    .raw()
    .toBuffer()
  return { ...size, rgba: new Uint8Array(data) }
}

function traceByNeplex({ width, height, rgba }: Bitmap): Traced {
  const svg = vectorizeRawSync(Buffer.from(rgba), { width, height })
  return { svg, nodes: countPathNodes(svg) }
}

function traceByImagetracer({ width, height, rgba }: Bitmap, colours: number): Traced {
  const options = { numberofcolors: colours, viewbox: true }
  const svg = imagetracer.imagedataToSVG({ width, height, data: rgba }, options)
  return { svg, nodes: countPathNodes(svg) }
}

/** How many numbers a command takes for each point on the path. */
const NUMBERS: Readonly<Record<string, number>> = { m: 2, l: 2, h: 1, v: 1, c: 6, s: 4, q: 4, t: 2 }

/** Points on the paths of an SVG; the start of a path is counted once, together with its end. */
function countPathNodes(svg: string): number {
  let nodes = 0
  for (const [, path = ''] of svg.matchAll(/\sd="([^"]*)"/g))
    for (const [, letter = '', values = ''] of path.matchAll(/([a-z])([^a-z]*)/gi)) {
      const takes = NUMBERS[letter.toLowerCase()]
      if (takes === undefined) continue
      const numbers = values.match(/[+-]?(?:\d+\.?\d*|\.\d+)/g)?.length ?? 0
      // A move is not a node of its own: its contour returns to it.
      nodes += numbers / takes - (letter.toLowerCase() === 'm' ? 1 : 0)
    }
  return Math.round(nodes)
}
