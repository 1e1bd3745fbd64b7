/** What a translation keeps as it is, byte for byte. */
export type Mask = {
  readonly text: string
  /**
   * Whether it stays in its order among such: delimiters, tags and line breaks do; code and URLs may move with the
   * words around them.
   */
  readonly isOrdered: boolean
  /** Whether white space stood beside it. */
  readonly hasSpaceBefore: boolean
  readonly hasSpaceAfter: boolean
}

/** Prose, or the number of a mask of its segment. */
export type Piece = string | number

/** Prose of a document that is translated as one, without white space at its ends. */
export type Segment = { readonly pieces: readonly Piece[]; readonly masks: readonly Mask[] }

/** A document: what is kept as it is, and the segments between. Joined they are the document. */
export type Part = string | Segment

/** The text of pieces with their masks. */
export function joinPieces(pieces: readonly Piece[], masks: readonly Mask[]): string {
  return pieces.map((piece) => (typeof piece === 'string' ? piece : (masks[piece]?.text ?? ''))).join('')
}

/** Whether there is a word to translate. */
export function hasWords(pieces: readonly Piece[]): boolean {
  return pieces.some((piece) => typeof piece === 'string' && /\p{L}/u.test(piece))
}
