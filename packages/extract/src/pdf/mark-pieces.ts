import { markIndex } from '../document/mark-index.ts'

/** Letters of a word at one height. */
export type Piece = { readonly level: 'base' | 'sup' | 'sub'; text: string }

/** Exponents are smaller than their base by this factor, and this far above or below its line, in font sizes. */
const MAX_SCALE = 0.9
const MIN_RAISE = 0.15
const MIN_DROP = 0.08

type Placed = { readonly baseline: number; readonly style: { readonly size: number } }

/** Where a letter is against the first one of its word. */
export function levelOf(word: Placed, letter: Placed): Piece['level'] {
  const { size } = word.style
  if (letter.style.size > MAX_SCALE * size) return 'base'
  const raise = word.baseline - letter.baseline
  if (raise > MIN_RAISE * size) return 'sup'
  return raise < -MIN_DROP * size ? 'sub' : 'base'
}

/** The text of a word, with marks for exponents and indices. */
export function markPieces(pieces: readonly Piece[]): string {
  let text = ''
  for (const [at, piece] of pieces.entries()) {
    const after = pieces[at + 1]?.text ?? ''
    const marks = piece.level !== 'base' && markIndex(piece.level, piece.text, { before: text, after })
    text += marks ? `${marks.open}${piece.text}${marks.close}` : piece.text
  }
  return text
}
