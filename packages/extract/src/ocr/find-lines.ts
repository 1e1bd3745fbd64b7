import { heightOf } from './gray-image.ts'
import type { Piece } from './group-letters.ts'

/** Height of a line of text, in heights of its letters: 1 to 2.0 in documents, 1.3 to 11 in leaves and grass. */
const MAX_HEIGHT = 2.2
/** Letters of a piece that counts as a line. */
const MIN_LETTERS = 3
/** Share of such pieces that are lines: 0.95 to 1 in documents, 0.25 to 0.75 in leaves and grass. */
const MIN_SHARE = 0.8

/** Whether the letters of a piece are next to each other rather than over each other. */
export function isLine(piece: Piece): boolean {
  return heightOf(piece) < MAX_HEIGHT * piece.letter
}

/** Letters that are in lines of several letters. */
export function countLineLetters(pieces: readonly Piece[]): number {
  return pieces
    .filter(isLong)
    .filter(isLine)
    .reduce((sum, { letters }) => sum + letters, 0)
}

/** Whether nearly all pieces of several letters are lines, as in a document in any language. */
export function looksLikeDocument(pieces: readonly Piece[]): boolean {
  const long = pieces.filter(isLong)
  const lines = long.filter(isLine)
  return lines.length > 0 && lines.length >= MIN_SHARE * long.length
}

function isLong({ letters }: Piece): boolean {
  return letters >= MIN_LETTERS
}
