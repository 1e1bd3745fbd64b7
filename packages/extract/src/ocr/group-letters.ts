import type { Speck } from './find-specks.ts'
import { type Area, heightOf, quantile, unite, widthOf } from './gray-image.ts'
import type { Rules } from './take-rules.ts'

/** Letters that follow each other without a wide gap: a line of a column, or a cell. */
export type Piece = Area & {
  /** Height of its capitals and digits, or of its small letters if it has no other, pixels. */
  readonly letter: number
  readonly baseline: number
  readonly letters: number
}

/** A gap wider than this, in heights of a letter, begins a piece of its own: nearly an em. */
const MAX_GAP = 1.25
/** Heights of neighbours differ at most by this factor. */
const MAX_RATIO = 3.2
/** Of a letter, in heights of the letter that is usual on the page. */
const MIN_LETTER = 0.35
const MAX_LETTER = 6
/** Width of a letter without neighbours, in heights of the usual letter: a thinner line is a part of a rule. */
const MIN_SINGLE_WIDTH = 0.12
const NOWHERE: Area = { left: 0, top: 0, right: 0, bottom: 0 }
/** Width of a letter, in its heights: a thinner line is none. */
const MIN_WIDTH = 0.08
const MIN_OVERLAP = 0.4

/** Height of a letter that is usual in an image, in pixels; 0 if it has no letters. */
export function findLetterHeight(specks: readonly Speck[]): number {
  const heights = specks.filter(isLetterLike).map(heightOf)
  // Each as often as it is high: specks of noise are many, and small.
  const weighed = heights.flatMap((height) =>
    Array.from({ length: Math.min(20, Math.ceil(height / 3)) }, () => height),
  )
  weighed.sort((one, other) => one - other)
  return weighed[Math.floor(weighed.length / 2)] ?? 0
}

function isLetterLike(speck: Speck): boolean {
  const [width, height] = [widthOf(speck), heightOf(speck)]
  const filled = speck.pixels / (width * height)
  return (
    height >= 5 &&
    height <= 120 &&
    width <= 8 * height &&
    width >= 0.1 * height &&
    filled > 0.12 &&
    filled < 0.98
  )
}

/** The pieces of a page. @param letter height of a letter, pixels */
export function groupLetters(specks: readonly Speck[], letter: number, rules: Rules): Piece[] {
  const letters = specks.filter(
    (speck) =>
      heightOf(speck) >= MIN_LETTER * letter &&
      heightOf(speck) <= MAX_LETTER * letter &&
      widthOf(speck) >= MIN_WIDTH * heightOf(speck) &&
      widthOf(speck) <= 12 * Math.max(letter, heightOf(speck)),
  )
  const groups = link(letters, letter, rules).filter(
    (group) => group.length > 1 || widthOf(group[0] ?? NOWHERE) >= MIN_SINGLE_WIDTH * letter,
  )
  const marks = specks.filter((speck) => heightOf(speck) < MIN_LETTER * letter && widthOf(speck) < 2 * letter)
  return joinOverlapping(groups.map((group) => toPiece(group))).map((piece) => addMarks(piece, marks))
}

function link(letters: readonly Speck[], letter: number, rules: Rules): Speck[][] {
  const sorted = letters.toSorted((one, other) => one.left - other.left)
  const parents = sorted.map((_, at) => at)
  const find = (at: number): number => {
    let root = at
    while (parents[root] !== root) root = parents[root] ?? 0
    parents[at] = root
    return root
  }
  /** Letters by the bands of the page that they touch. */
  const bands = new Map<number, number[]>()
  for (const [at, one] of sorted.entries()) {
    const near = new Set<number>()
    for (let band = Math.floor(one.top / letter); band <= Math.floor(one.bottom / letter); band += 1) {
      const seen = bands.get(band) ?? []
      for (const other of seen.slice(-MAX_LOOKED_AT)) near.add(other)
      seen.push(at)
      bands.set(band, seen)
    }
    for (const other of near) {
      const left = sorted[other]
      if (left && isNeighbour(left, one, rules)) parents[find(at)] = find(other)
    }
  }
  return [...Map.groupBy(sorted, (_, at) => find(at)).values()]
}

/** Letters before one in its band. */
const MAX_LOOKED_AT = 40

function isNeighbour(left: Speck, right: Speck, rules: Rules): boolean {
  const [low, high] = [Math.min(heightOf(left), heightOf(right)), Math.max(heightOf(left), heightOf(right))]
  const gap = right.left - left.right
  const overlap = Math.min(left.bottom, right.bottom) - Math.max(left.top, right.top)
  if (gap > (MAX_GAP * (high + low)) / 2 || high > MAX_RATIO * low || overlap < MIN_OVERLAP * low)
    return false
  const middle = (Math.max(left.top, right.top) + Math.min(left.bottom, right.bottom)) / 2
  return !rules.down.some(
    (rule) =>
      rule.left >= left.right - 2 &&
      rule.right <= right.left + 2 &&
      rule.top < middle &&
      rule.bottom > middle,
  )
}

function toPiece(letters: readonly Speck[]): Piece {
  const bounds = unite(letters)
  const letter = quantile(letters.map(heightOf), 0.85)
  const baseline = quantile(
    letters.map(({ bottom }) => bottom),
    0.4,
  )
  return { ...bounds, letter, baseline, letters: letters.length }
}

/** Pieces that lie over each other are one: a letter in pieces, or an accent. */
function joinOverlapping(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = []
  for (const piece of pieces.toSorted((one, other) => widthOf(other) - widthOf(one))) {
    const at = joined.findIndex((other) => {
      const across = Math.min(piece.right, other.right) - Math.max(piece.left, other.left)
      const down = Math.min(piece.bottom, other.bottom) - Math.max(piece.top, other.top)
      return across > 0.5 * widthOf(piece) && down > 0.5 * Math.min(heightOf(piece), heightOf(other))
    })
    const other = joined[at]
    if (other) joined[at] = { ...other, ...unite([piece, other]) }
    else joined.push(piece)
  }
  return joined
}

/** Dots, commas and hyphens at the edges of a piece. */
function addMarks(piece: Piece, marks: readonly Speck[]): Piece {
  const { letter } = piece
  const near = marks.filter(
    (mark) =>
      mark.left < piece.right + 0.6 * letter &&
      mark.right > piece.left - 0.6 * letter &&
      mark.top > piece.top - 0.35 * letter &&
      mark.bottom < piece.bottom + 0.35 * letter,
  )
  return near.length === 0 ? piece : { ...piece, ...unite([piece, ...near]) }
}
