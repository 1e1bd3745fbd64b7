import { Undecodable } from './decode/decode-image.ts'
import type { Bitmap, Contour, Drawing, Layer, Point, Rgb } from './image.ts'
import { choosePalette, type Palette, surveyColours } from './quantise/choose-palette.ts'
import { cleanBorders } from './quantise/clean-borders.ts'
import { type Samples, toSamples } from './quantise/samples.ts'
import { soften } from './quantise/soften.ts'
import { countSteps } from './quantise/solid-pixels.ts'
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
  /** Whether the image is a JPEG or a lossy WebP, whose borders are noisy; default false. */
  readonly isLossy?: boolean
}

/** Maximum number of cells; more cost time without a visible gain. */
const MAX_CELLS = 6_000_000
/** Maximum number of cells per side of a pixel; borders inside cells are known from the shares anyway. */
const MAX_SCALE = 4
/**
 * Maximum length of all borders, in sides of cells. Squares of 4 by 4 pixels all over the largest image have 1.5
 * million and take 2 s of processor time; single pixels have 6 million, and take longer than the deadline.
 */
const MAX_BORDER_SIDES = 2_000_000
/**
 * The same times the number of colours, because each colour is a layer of its own. Squares of 8 by 8 pixels in
 * 255 colours have 96 million.
 */
const MAX_SIDES_OF_COLOURS = 128_000_000
/** Maximum number of blurs in one go; 2 + 4 + 8 + 16 are tried in all. */
const MAX_SOFTENING = 16
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
 * Traces an image into layers of lines and curves.
 * @throws Undecodable if it has more fine detail than can be traced in time.
 */
export function vectorize(bitmap: Bitmap, options: VectorizeOptions): Drawing {
  const samples = toSamples(bitmap)
  const survey = surveyColours(samples)
  const { isPhoto } = survey
  const isNoisy = options.isLossy === true && !isPhoto
  // Before the expensive steps, whose time grows with the length of the borders.
  if (!isPhoto && countSteps(samples) * scaleOf(samples) > MAX_BORDER_SIDES) throw tooFine()
  const palette = choosePalette(samples, survey, {
    max: options.maxColours,
    provided: options.palette,
    isNoisy,
  })
  const clear = palette.clear >= 0 ? palette.clear : palette.colours.length
  const minArea = options.minAreaPx ?? defaultMinArea(bitmap, isPhoto)
  const cleaned = isNoisy ? cleanBorders(samples, palette.colours) : samples
  const { map: clean, borders } = label(cleaned, palette, { isPhoto, minArea })
  const map = options.removesBackground ? removeBackground(clean, clear) : clean
  const tolerance = isPhoto ? PHOTO_TOLERANCE : DRAWING_TOLERANCE
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

/**
 * Assigns a palette colour to each cell. What would take too long to trace is softened until it does not: it has
 * cost most of its time already, and a refusal is not charged.
 */
function label(
  samples: Samples,
  palette: Palette,
  { isPhoto, minArea }: { readonly isPhoto: boolean; readonly minArea: number },
): Labelled {
  let soft = isPhoto ? soften(soften(samples)) : samples
  const first = isPhoto
    ? { map: labelPhoto(soft, palette.colours), borders: NO_BORDERS }
    : labelsOfDrawing(samples, palette)
  let map = removeSpecks(first.map, minArea * first.map.scale ** 2)
  let { borders } = first
  for (let passes = 2; isTooFine(map, palette); passes *= 2) {
    if (passes > MAX_SOFTENING) throw tooFine()
    for (let pass = 0; pass < passes; pass++) soft = soften(soft)
    map = removeSpecks(labelPhoto(soft, palette.colours), minArea)
    borders = NO_BORDERS
  }
  return { map, borders }
}

function isTooFine(map: LabelMap, { colours }: Palette): boolean {
  const sides = countBorderSides(map)
  return sides > MAX_BORDER_SIDES || sides * colours.length > MAX_SIDES_OF_COLOURS
}

function tooFine(): Undecodable {
  return new Undecodable('the image has too much fine detail to trace: remove noise, or reduce its size')
}

/** Cells per side of a pixel in the map of a drawing. */
function scaleOf({ width, height }: Samples): number {
  const fitting = Math.floor(Math.sqrt(MAX_CELLS / (width * height)))
  return Math.min(MAX_SCALE, Math.max(1, fitting))
}

type Labelled = { readonly map: LabelMap; readonly borders: Borders }

function labelsOfDrawing(samples: Samples, { colours }: Palette): Labelled {
  const pixels = findMixedPixels(samples, colours)
  const borders = findBorders(pixels)
  findCorners(pixels, borders)
  return { map: supersample(pixels, borders, scaleOf(samples)), borders }
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
    const contour = traceOutline(outline, points, tolerance)
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
