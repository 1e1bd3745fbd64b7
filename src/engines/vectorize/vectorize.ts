import { Undecodable } from './decode/decode-picture.ts'
import type { Bitmap, Contour, Drawing, Layer, Point, Rgb } from './picture.ts'
import { choosePalette, type Palette } from './quantise/choose-palette.ts'
import { type Samples, toSamples } from './quantise/samples.ts'
import { soften } from './quantise/soften.ts'
import { type Borders, findBorders, NO_BORDERS } from './regions/borders.ts'
import { findCorners } from './regions/corner-pixels.ts'
import { type LabelMap, labelPhoto, supersample } from './regions/label-map.ts'
import { type LayerMask, layerMasks } from './regions/layer-masks.ts'
import { findMixedPixels } from './regions/mixed-pixels.ts'
import { removeBackground } from './regions/remove-background.ts'
import { removeSpecks } from './regions/remove-specks.ts'
import { findTruePoints } from './regions/true-points.ts'
import { findOutlines } from './trace/outline.ts'
import { traceOutline } from './trace/trace-outline.ts'

export type VectorizeOptions = {
  /** Maximum number of colours, 0 to 256; 0 chooses by the image. */
  readonly maxColours: number
  /** Colours to use instead of the image's own; null for the image's own. */
  readonly palette: readonly Rgb[] | null
  /** Areas of fewer pixels are merged into a neighbour; null: 2 for drawings, more for photos. */
  readonly minAreaPx: number | null
  /** Whether to omit the background, an area of one colour around the image. */
  readonly removesBackground: boolean
}

/** Maximum number of cells; more cost time without a visible gain. */
const MAX_CELLS = 6_000_000
/** Maximum number of cells per side of a pixel; borders inside cells are known from the shares anyway. */
const MAX_SCALE = 4
/**
 * Maximum length of all borders, in sides of cells. Squares of 4 by 4 pixels all over the largest picture have 1.5
 * million and take 2 s of processor time; single pixels have 6 million, and take longer than the deadline.
 */
const MAX_BORDER_SIDES = 2_000_000
const DRAWING_MIN_AREA = 2
/** For photos: areas below this share of the image are noise. */
const PHOTO_MIN_SHARE = 25e-6
/**
 * In cells; of all values tried, this one gave the fewest nodes without loss (`npm run quality -- --only
 * vectorize`).
 */
const DRAWING_TOLERANCE = 1
const PHOTO_TOLERANCE = 0.8

/**
 * Traces a picture into layers of lines and curves.
 * @throws Undecodable if it has more fine detail than can be traced in time.
 */
export function vectorize(bitmap: Bitmap, options: VectorizeOptions): Drawing {
  const samples = toSamples(bitmap)
  const palette = choosePalette(samples, { max: options.maxColours, given: options.palette })
  const { map: raw, borders } = palette.isPhoto
    ? labelsOfPhoto(samples, palette)
    : labelsOfDrawing(samples, palette)
  const clear = palette.clear >= 0 ? palette.clear : palette.colours.length
  const minArea = options.minAreaPx ?? defaultMinArea(bitmap, palette.isPhoto)
  const clean = removeSpecks(raw, minArea * raw.scale ** 2)
  if (countBorderSides(clean) > MAX_BORDER_SIDES)
    throw new Undecodable('the picture has too much fine detail to trace: remove noise, or reduce its size')
  const map = options.removesBackground ? removeBackground(clean, clear) : clean
  const tolerance = palette.isPhoto ? PHOTO_TOLERANCE : DRAWING_TOLERANCE
  const layers = [...layerMasks(map, clear)].map(
    (layer): Layer => ({
      colour: palette.paints[layer.label] ?? [0, 0, 0],
      contours: traceLayer(layer, { bitmap, borders, scale: map.scale, tolerance }),
    }),
  )
  return {
    width: bitmap.width,
    height: bitmap.height,
    layers: layers.filter(({ contours }) => contours.length > 0),
  }
}

type Labelled = { readonly map: LabelMap; readonly borders: Borders }

function labelsOfDrawing(samples: Samples, { colours }: Palette): Labelled {
  const pixels = findMixedPixels(samples, colours)
  const borders = findBorders(pixels)
  findCorners(pixels, borders)
  const fitting = Math.floor(Math.sqrt(MAX_CELLS / (samples.width * samples.height)))
  return { map: supersample(pixels, borders, Math.min(MAX_SCALE, Math.max(1, fitting))), borders }
}

function labelsOfPhoto(samples: Samples, { colours }: Palette): Labelled {
  return { map: labelPhoto(soften(soften(samples)), colours), borders: NO_BORDERS }
}

function defaultMinArea({ width, height }: Bitmap, isPhoto: boolean): number {
  return isPhoto ? Math.max(DRAWING_MIN_AREA, width * height * PHOTO_MIN_SHARE) : DRAWING_MIN_AREA
}

function countBorderSides({ labels, width }: LabelMap): number {
  let sides = 0
  for (let cell = 0; cell < labels.length; cell += 1) {
    if (labels[cell] !== labels[cell + width]) sides += 1
    if (labels[cell] !== labels[cell + 1]) sides += 1
  }
  return sides
}

type Grid = {
  readonly bitmap: Bitmap
  readonly borders: Borders
  readonly scale: number
  readonly tolerance: number
}

function traceLayer({ mask, left, top }: LayerMask, { bitmap, borders, scale, tolerance }: Grid): Contour[] {
  const { width, height } = bitmap
  return findOutlines(mask, scale * scale).flatMap((outline) => {
    const points = findTruePoints(outline, borders, { width, height, scale, left, top })
    const contour = traceOutline(outline, points, { unit: 1, tolerance })
    return contour ? [toPixels(contour, { scale, left, top })] : []
  })
}

function toPixels(
  { start, segments }: Contour,
  { scale, left, top }: { readonly scale: number; readonly left: number; readonly top: number },
): Contour {
  const move = ({ x, y }: Point): Point => ({ x: (x + left) / scale, y: (y + top) / scale })
  return {
    start: move(start),
    segments: segments.map((segment) =>
      segment.kind === 'line'
        ? { kind: 'line', to: move(segment.to) }
        : { kind: 'curve', first: move(segment.first), second: move(segment.second), to: move(segment.to) },
    ),
  }
}
