import type { Contour, Drawing, Rgb } from '../picture.ts'
import { nearestColourIndex } from './dxf-colours.ts'
import { flatten } from './flatten.ts'

/** Polygons stay so near to the curves, in pixels. */
const FLATNESS = 0.05

/**
 * Writes the contours of a drawing as DXF of AutoCAD release 12 (AC1009), which every program reads: a closed
 * polyline for each, y upwards, on a layer for each colour that is named after it, as `00_ff0000`, in painting
 * order. The release knows 255 colours; the nearest is taken.
 * @param scale drawing units to a pixel
 */
export function writeDxf(drawing: Drawing, scale: number): string {
  const layers = drawing.layers.map((layer, at) => ({
    ...layer,
    name: `${String(at).padStart(2, '0')}_${toDigits(layer.colour)}`,
  }))
  const table = layers.flatMap(({ name, colour }) => [
    ...[0, 'LAYER', 2, name, 70, 0, 62, nearestColourIndex(colour), 6, 'CONTINUOUS'],
  ])
  const entities = layers.flatMap(({ name, contours }) =>
    contours.flatMap((contour) => polyline(contour, name, { scale, height: drawing.height })),
  )
  return toLines([
    ...[0, 'SECTION', 2, 'HEADER', 9, '$ACADVER', 1, 'AC1009'],
    ...[9, '$EXTMIN', 10, 0, 20, 0, 30, 0],
    ...[9, '$EXTMAX', 10, round(drawing.width * scale), 20, round(drawing.height * scale), 30, 0],
    ...[0, 'ENDSEC', 0, 'SECTION', 2, 'TABLES'],
    ...[0, 'TABLE', 2, 'LTYPE', 70, 1],
    ...[0, 'LTYPE', 2, 'CONTINUOUS', 70, 0, 3, 'Solid line', 72, 65, 73, 0, 40, 0, 0, 'ENDTAB'],
    ...[0, 'TABLE', 2, 'LAYER', 70, layers.length, ...table, 0, 'ENDTAB', 0, 'ENDSEC'],
    ...[0, 'SECTION', 2, 'ENTITIES', ...entities, 0, 'ENDSEC', 0, 'EOF'],
  ])
}

type Group = number | string

function polyline(
  contour: Contour,
  layer: string,
  { scale, height }: { readonly scale: number; readonly height: number },
): Group[] {
  const vertices = flatten(contour, FLATNESS / Math.max(1, scale)).flatMap(({ x, y }): Group[] => [
    ...[0, 'VERTEX', 8, layer, 10, round(x * scale), 20, round((height - y) * scale), 30, 0],
  ])
  // 66: vertices follow; 70: closed.
  return [0, 'POLYLINE', 8, layer, 66, 1, 70, 1, 10, 0, 20, 0, 30, 0, ...vertices, 0, 'SEQEND', 8, layer]
}

function toDigits(colour: Rgb): string {
  return colour.map((channel) => channel.toString(16).padStart(2, '0')).join('')
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000
}

/** Code and value of a group stand each on a line. */
function toLines(groups: readonly Group[]): string {
  return `${groups.join('\n')}\n`
}
