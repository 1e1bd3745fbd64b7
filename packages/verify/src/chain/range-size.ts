/** Adapts the number of blocks per request to what a node accepts. */
export type RangeSize = {
  /** From 1 to 10,000. */
  readonly blocks: number
  /** A range of this many blocks was rejected, or timed out. */
  shrink(asked: number): void
  /** A range of this many blocks was answered. */
  grow(asked: number): void
}

/** Public endpoints accept 10 (Alchemy's free plan) to 10,000 blocks (Base's own). */
const MAX_BLOCKS = 10_000
const FIRST_BLOCKS = 2_000
/** After this many answers, a rejected size is tried again, because payment density varies. */
const ANSWERS_BEFORE_RETRY = 64

/** Doubles after an answer, halves after a rejection; then moves halfway towards the rejected size. */
export function createRangeSize(): RangeSize {
  let blocks = FIRST_BLOCKS
  let refused: number | null = null
  let answers = 0
  return {
    get blocks() {
      return blocks
    },
    shrink(asked) {
      answers = 0
      refused = Math.max(2, asked)
      blocks = Math.max(1, Math.min(blocks, Math.floor(asked / 2)))
    },
    grow(asked) {
      // A shorter range, as at the head, says nothing about longer ones.
      if (asked < blocks) return
      answers++
      if (refused !== null && answers >= ANSWERS_BEFORE_RETRY) {
        refused = 2 * refused > MAX_BLOCKS ? null : 2 * refused
        answers = 0
      }
      const max = refused === null ? MAX_BLOCKS : Math.min(MAX_BLOCKS, refused - 1)
      const next = refused === null ? 2 * blocks : blocks + Math.ceil((max - blocks) / 2)
      blocks = Math.max(blocks, Math.min(max, next))
    },
  }
}
