import type { Contour, Drawing, Rgb } from '../picture.ts'
import { nearestColourIndex } from './dxf-colours.ts'
import { flatten } from './flatten.ts'

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
    name: `${String(at).padStart(2, '0')}_${toDigits(layer.colour)}`,
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

function toDigits(colour: Rgb): string {
  return colour.map((channel) => channel.toString(16).padStart(2, '0')).join('')
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000
}

/** Writes each code and each value on its own line. */
function toLines(groups: readonly Group[]): string {
  return `${groups.flat().join('\n')}\n`
}
