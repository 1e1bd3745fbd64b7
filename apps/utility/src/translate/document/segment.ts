/** Text that a translation preserves byte for byte. */
export type Mask = {
  readonly text: string
  /**
   * Whether it keeps its order among others like it: delimiters, tags and line breaks do; code and URLs may
   * move with the words around them.
   */
  readonly isOrdered: boolean
  /** Whether white space was next to it. */
  readonly hasSpaceBefore: boolean
  readonly hasSpaceAfter: boolean
}

/** Prose, or the number of a mask of its segment. */
export type Piece = string | number

/** Prose of a document that is translated as a unit, without white space at its ends. */
export type Segment = { readonly pieces: readonly Piece[]; readonly masks: readonly Mask[] }

/** A document: preserved text, and the segments between. Concatenated they are the document. */
export type Part = string | Segment

export function joinPieces(pieces: readonly Piece[], masks: readonly Mask[]): string {
  return pieces.map((piece) => (typeof piece === 'string' ? piece : (masks[piece]?.text ?? ''))).join('')
}

/** Whether there is a word to translate. */
export function hasWords(pieces: readonly Piece[]): boolean {
  return pieces.some((piece) => typeof piece === 'string' && /\p{L}/u.test(piece))
}
