import type { ComposedLine } from './compose-lines.ts'
import { widthOf } from './gray-image.ts'
import type { Piece } from './group-letters.ts'

/** A word as the recogniser finds it in a composed image; confidence is 0 to 100. */
export type RecognisedWord = {
  readonly text: string
  readonly confidence: number
  readonly bbox: { readonly x0: number; readonly y0: number; readonly x1: number; readonly y1: number }
}

/** A word of a piece; coordinates in pixels of the image of the pieces. */
export type PlacedWord = {
  readonly text: string
  readonly confidence: number
  readonly left: number
  readonly right: number
}
export type ReadPiece = { readonly piece: Piece; readonly words: readonly PlacedWord[] }

/** The words of each piece, from left to right. */
export function placeWords(
  lines: readonly ComposedLine[],
  words: readonly RecognisedWord[],
): readonly ReadPiece[] {
  const ofLine = new Map<ComposedLine, RecognisedWord[]>()
  for (const word of words) {
    const middle = (word.bbox.y0 + word.bbox.y1) / 2
    const line = lineAt(lines, middle)
    if (!line || word.text.trim() === '') continue
    const others = ofLine.get(line) ?? []
    others.push(word)
    ofLine.set(line, others)
  }
  return lines.map((line) => {
    const { piece, at } = line
    const found = (ofLine.get(line) ?? []).sort((one, other) => one.bbox.x0 - other.bbox.x0)
    const scale = widthOf(piece) / widthOf(at)
    const words = found.map(({ text, confidence, bbox }) => ({
      text,
      confidence,
      left: piece.left + Math.max(0, bbox.x0 - at.left) * scale,
      right: piece.left + Math.min(widthOf(at), bbox.x1 - at.left) * scale,
    }))
    return { piece, words: joinPrice(words) }
  })
}

/** A piece that is a price alone, with space after its point, as on receipts: `RM4. 90`. */
const SPLIT_PRICE = /^\D{0,3}\d+\. \d{2}$/

function joinPrice(words: readonly PlacedWord[]): readonly PlacedWord[] {
  const [units, cents] = words
  if (!units || !cents || words.length > 2 || !SPLIT_PRICE.test(`${units.text} ${cents.text}`)) return words
  const confidence = Math.min(units.confidence, cents.confidence)
  return [{ text: `${units.text}${cents.text}`, confidence, left: units.left, right: cents.right }]
}

/** The line nearest to a height of the composed image. */
function lineAt(lines: readonly ComposedLine[], y: number): ComposedLine | undefined {
  let [low, high] = [0, lines.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    const [line, next] = [lines[middle], lines[middle + 1]]
    if (y > ((line?.at.bottom ?? 0) + (next?.at.top ?? 0)) / 2) low = middle + 1
    else high = middle
  }
  return lines[low]
}
