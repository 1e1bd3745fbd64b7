import type { Contour, Drawing, Point, Rgb, Segment } from '../image.ts'
import { toHexColour } from './svg.ts'

/** Colours 1 to 9 of the AutoCAD Color Index. */
const NAMED: readonly Rgb[] = [
  [255, 0, 0],
  [255, 255, 0],
  [0, 255, 0],
  [0, 255, 255],
  [0, 0, 255],
  [255, 0, 255],
  [255, 255, 255],
  [128, 128, 128],
  [192, 192, 192],
]
/** Brightness of the five steps of each hue from 10 to 249; odd numbers are half as saturated. */
const STEPS = [255, 165, 127, 76, 38]
/** Greys 250 to 255. */
const GREYS = [51, 91, 132, 173, 214, 255]
/** Darker colours look black on paper. */
const BLACK_BELOW = 20

/** Maximum distance between polygons and curves, in pixels. */
const FLATNESS = 0.05

/**
 * Writes the contours of a drawing as DXF of AutoCAD release 12 (AC1009), which every program reads: one
 * closed polyline per contour, y upwards, with a layer per colour in painting order, named after the colour,
 * such as `00_ff0000`. This release has 255 colours; the nearest one is used.
 * @param scale drawing units per pixel
 */
export function writeDxf(drawing: Drawing, scale: number): string {
  const layers = drawing.layers.map((layer, at) => ({
    ...layer,
    name: `${String(at).padStart(2, '0')}_${toHexColour(layer.colour).slice(1)}`,
  }))
  const layerTable = layers.flatMap(({ name, colour }): Group[] => [
    [0, 'LAYER'],
    [2, name],
    [70, 0],
    [62, nearestColourIndex(colour)],
    [6, 'CONTINUOUS'],
  ])
  const entities = layers.flatMap(({ name, contours }) =>
    contours.flatMap((contour) => polyline(contour, name, { scale, height: drawing.height })),
  )
  const header: Group[] = [
    [9, '$ACADVER'],
    [1, 'AC1009'],
    [9, '$EXTMIN'],
    ...point(0, 0),
    [9, '$EXTMAX'],
    ...point(drawing.width * scale, drawing.height * scale),
  ]
  return toLines([
    ...section('HEADER', header),
    ...section('TABLES', [...table('LTYPE', 1, SOLID_LINE), ...table('LAYER', layers.length, layerTable)]),
    ...section('ENTITIES', entities),
    [0, 'EOF'],
  ])
}

/** A group: a code, which states the meaning of the value, and the value. */
type Group = readonly [code: number, value: number | string]

const SOLID_LINE: readonly Group[] = [
  [0, 'LTYPE'],
  [2, 'CONTINUOUS'],
  [70, 0],
  [3, 'Solid line'],
  [72, 65],
  [73, 0],
  [40, 0],
]

function section(name: string, groups: readonly Group[]): Group[] {
  return [[0, 'SECTION'], [2, name], ...groups, [0, 'ENDSEC']]
}

function table(name: string, entries: number, groups: readonly Group[]): Group[] {
  return [[0, 'TABLE'], [2, name], [70, entries], ...groups, [0, 'ENDTAB']]
}

function point(x: number, y: number): Group[] {
  return [
    [10, round(x)],
    [20, round(y)],
    [30, 0],
  ]
}

function polyline(
  contour: Contour,
  layer: string,
  { scale, height }: { readonly scale: number; readonly height: number },
): Group[] {
  const vertices = flatten(contour, FLATNESS / Math.max(1, scale)).flatMap(({ x, y }): Group[] => [
    [0, 'VERTEX'],
    [8, layer],
    ...point(x * scale, (height - y) * scale),
  ])
  return [
    [0, 'POLYLINE'],
    [8, layer],
    // Vertices follow.
    [66, 1],
    // Closed.
    [70, 1],
    ...point(0, 0),
    ...vertices,
    [0, 'SEQEND'],
    [8, layer],
  ]
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000
}

/** Writes each code and each value on its own line. */
function toLines(groups: readonly Group[]): string {
  return `${groups.flat().join('\n')}\n`
}

/** The corners of a polygon that stays within `tolerance` of a contour; the last one is not the first again. */
export function flatten({ start, segments }: Contour, tolerance: number): Point[] {
  const corners = [start]
  let from = start
  for (const segment of segments) {
    if (segment.kind === 'curve') corners.push(...alongCurve(from, segment, tolerance))
    corners.push(segment.to)
    from = segment.to
  }
  const last = corners.at(-1)
  if (corners.length > 1 && last?.x === start.x && last.y === start.y) corners.pop()
  return corners
}

/**
 * Points inside a curve at equal parameter steps, as few as its second differences allow (T. Sederberg,
 * "Computer Aided Geometric Design", section 10.6).
 */
function alongCurve(
  from: Point,
  { first, second, to }: Extract<Segment, { kind: 'curve' }>,
  tolerance: number,
): Point[] {
  const bend = Math.max(
    Math.hypot(from.x - 2 * first.x + second.x, from.y - 2 * first.y + second.y),
    Math.hypot(first.x - 2 * second.x + to.x, first.y - 2 * second.y + to.y),
  )
  const parts = Math.max(1, Math.ceil(Math.sqrt((0.75 * bend) / tolerance)))
  return Array.from({ length: parts - 1 }, (_, at) => {
    const t = (at + 1) / parts
    const s = 1 - t
    const [w0, w1, w2, w3] = [s ** 3, 3 * s * s * t, 3 * s * t * t, t ** 3]
    return {
      x: w0 * from.x + w1 * first.x + w2 * second.x + w3 * to.x,
      y: w0 * from.y + w1 * first.y + w2 * second.y + w3 * to.y,
    }
  })
}

/** The nearest colour of the AutoCAD Color Index (1 to 255). Black is drawn as 7, which adapts to the background. */
export function nearestColourIndex(colour: Rgb): number {
  if (Math.max(...colour) < BLACK_BELOW) return 7
  let [index, min] = [7, Number.POSITIVE_INFINITY]
  for (let candidate = 1; candidate <= 255; candidate++) {
    const [red, green, blue] = indexedColour(candidate)
    const distance = (red - colour[0]) ** 2 + (green - colour[1]) ** 2 + (blue - colour[2]) ** 2
    if (distance < min) [min, index] = [distance, candidate]
  }
  return index
}

function indexedColour(index: number): Rgb {
  const named = NAMED[index - 1]
  if (named) return named
  if (index >= 250) {
    const grey = GREYS[index - 250] ?? 255
    return [grey, grey, grey]
  }
  const high = STEPS[Math.floor((index % 10) / 2)] ?? 255
  const low = index % 2 === 1 ? high / 2 : 0
  // 24 hues, 15 degrees apart.
  const hue = (Math.floor(index / 10) - 1) / 4
  const channel = (shift: number) => {
    const away = Math.abs(((hue + shift) % 6) - 3)
    return low + (high - low) * Math.min(1, Math.max(0, away - 1))
  }
  return [channel(0), channel(4), channel(2)]
}
