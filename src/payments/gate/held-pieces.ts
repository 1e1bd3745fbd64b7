import type { StreamPiece } from '../../catalogue/answer.ts'
import type { AtomicUsdc } from '../../money/usdc.ts'
import { MAX_KEPT_BYTES } from './recorded-body.ts'

/**
 * The last pieces of content are held until the settlement, however little they cost. Chosen: about eight
 * words.
 */
const HELD_CONTENT = 8

/** Pieces of a live answer on their way to a client. */
export interface HeldPieces {
  push(piece: StreamPiece): void
  /** Adds the piece at which clients stop reading to the text; it is sent separately. */
  addEnd(piece: StreamPiece): void
  /** The next piece that may be sent before the settlement. */
  takeFree(): StreamPiece | undefined
  /** The bytes of all pieces that are held for it. */
  takeRest(): readonly Uint8Array[]
  /** The whole text so far; null if nothing is ever held. */
  text(): Uint8Array | null
  /** Whether the text has reached the maximum size that is stored. */
  isFull(): boolean
}

/**
 * Holds back the content that a payer gets only after the settlement.
 * @param allowance micro-USDC of content that is sent before it; null: everything.
 */
export function createHeldPieces(allowance: AtomicUsdc | null): HeldPieces {
  const waiting: StreamPiece[] = []
  const texts: Uint8Array[] = []
  let waitingContent = 0
  let bytes = 0
  let charge: AtomicUsdc | undefined

  /** Whether the oldest piece is within the allowance, and followed by enough content. */
  function isFree(piece: StreamPiece, limit: AtomicUsdc): boolean {
    const worth = piece.chargeSoFar ?? charge
    if (worth === undefined ? piece.isContent : worth > limit) return false
    return waitingContent - (piece.isContent ? 1 : 0) >= HELD_CONTENT
  }

  function addText(piece: StreamPiece): void {
    if (allowance === null) return
    texts.push(piece.bytes)
    bytes += piece.bytes.byteLength
  }

  return {
    push(piece) {
      waiting.push(piece)
      if (piece.isContent) waitingContent += 1
      addText(piece)
    },
    addEnd: addText,
    takeFree() {
      const [piece] = waiting
      if (!piece || (allowance !== null && !isFree(piece, allowance))) return undefined
      waiting.shift()
      if (piece.isContent) waitingContent -= 1
      charge = piece.chargeSoFar ?? charge
      return piece
    },
    takeRest: () => waiting.splice(0).map((piece) => piece.bytes),
    text: () => (allowance === null ? null : Buffer.concat(texts)),
    isFull: () => bytes > MAX_KEPT_BYTES,
  }
}
