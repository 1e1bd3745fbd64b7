import { type Area, type GrayImage, heightOf, quantile, widthOf } from './gray-image.ts'
import type { Piece } from './group-letters.ts'

/** A piece and where it is in a composed image. */
export type ComposedLine = { readonly piece: Piece; readonly at: Area }
export type Composed = { readonly image: GrayImage; readonly lines: readonly ComposedLine[] }

/** In heights of a letter: the space around a piece that is copied, and between lines. */
const MARGIN = 0.3
const LEADING = 1.2
const WHITE = 255

/**
 * The pieces of a page, one under the other, in full contrast, without anything between them. The recogniser finds
 * each of them, also if it is a single digit, which its own search for columns loses.
 * @param scale by which the image is larger than the one of the pieces
 */
export function composeLines(
  image: GrayImage,
  {
    pieces,
    scale,
    letter,
  }: { readonly pieces: readonly Piece[]; readonly scale: number; readonly letter: number },
): Composed {
  const leading = Math.round(LEADING * letter * scale)
  const copies: (ComposedLine & { readonly from: Area })[] = []
  let [width, y] = [0, leading]
  for (const piece of pieces) {
    const from = grow(piece, scale, image)
    const at = { left: leading, top: y, right: leading + widthOf(from), bottom: y + heightOf(from) }
    copies.push({ piece, at, from })
    width = Math.max(width, at.right + leading)
    y = at.bottom + leading
  }
  const page = { pixels: new Uint8Array(width * y).fill(WHITE), width, height: y }
  for (const { from, at } of copies) copy(image, from, page, at)
  return { image: page, lines: copies.map(({ piece, at }) => ({ piece, at })) }
}

function grow(piece: Piece, scale: number, { width, height }: GrayImage): Area {
  const margin = MARGIN * piece.letter
  return {
    left: Math.max(0, Math.round((piece.left - margin) * scale)),
    top: Math.max(0, Math.round((piece.top - 0.5 * margin) * scale)),
    right: Math.min(width, Math.round((piece.right + margin) * scale)),
    bottom: Math.min(height, Math.round((piece.bottom + 0.5 * margin) * scale)),
  }
}

/** Of dark and light pixels, by which contrast is measured. */
const INK = 0.02
const PAPER = 0.7
const MAX_SAMPLES = 4_000
/** Ink becomes this much darker than paper; a smaller difference than the other is none. */
const CONTRAST = 235
const MIN_DIFFERENCE = 20

/** Copies an area so that its paper is white, and its ink nearly black. */
function copy(image: GrayImage, from: Area, page: GrayImage, at: Area): void {
  const [width, height] = [widthOf(from), heightOf(from)]
  const step = Math.max(1, Math.floor((width * height) / MAX_SAMPLES))
  const sample: number[] = []
  for (let index = 0; index < width * height; index += step) {
    const [x, y] = [from.left + (index % width), from.top + Math.floor(index / width)]
    sample.push(image.pixels[y * image.width + x] ?? WHITE)
  }
  const [ink, paper] = [quantile(sample, INK), quantile(sample, PAPER)]
  const factor = CONTRAST / Math.max(MIN_DIFFERENCE, paper - ink)
  for (let y = 0; y < height; y += 1) {
    const source = (from.top + y) * image.width + from.left
    const target = (at.top + y) * page.width + at.left
    for (let x = 0; x < width; x += 1) {
      const value = WHITE - (paper - (image.pixels[source + x] ?? WHITE)) * factor
      page.pixels[target + x] = Math.min(WHITE, Math.max(0, value))
    }
  }
}
