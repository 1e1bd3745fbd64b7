import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { StreamPiece } from '../contract/answer.ts'
import { MAX_KEPT_BYTES } from './recorded-body.ts'

/** The last pieces of content are held until the settlement, however little they cost. Chosen: about eight words, the end of an answer. */
const HELD_CONTENT = 8

/** Pieces of a live answer on their way to a client. It holds back the content that a payer gets after the settlement. */
export class HeldPieces {
  readonly #allowance: AtomicUsdc | null
  readonly #waiting: StreamPiece[] = []
  readonly #texts: Uint8Array[] = []
  #waitingContent = 0
  #bytes = 0
  #charge: AtomicUsdc | undefined

  /** @param allowance micro-USDC of content that is sent before the settlement; null: everything. */
  constructor(allowance: AtomicUsdc | null) {
    this.#allowance = allowance
  }

  push(piece: StreamPiece): void {
    this.#waiting.push(piece)
    if (piece.isContent) this.#waitingContent += 1
    this.#addText(piece)
  }

  /** Adds the piece at which clients stop reading to the text; it is sent separately. */
  addEnd(piece: StreamPiece): void {
    this.#addText(piece)
  }

  /** The next piece that may be sent before the settlement. */
  takeFree(): StreamPiece | undefined {
    const [piece] = this.#waiting
    if (!piece || (this.#allowance !== null && !this.#isFree(piece, this.#allowance))) return undefined
    this.#waiting.shift()
    if (piece.isContent) this.#waitingContent -= 1
    this.#charge = piece.chargeSoFar ?? this.#charge
    return piece
  }

  /** The bytes of all pieces that are held for the settlement. */
  takeRest(): readonly Uint8Array[] {
    return this.#waiting.splice(0).map((piece) => piece.bytes)
  }

  /** The whole text so far; null if nothing is ever held. */
  text(): Uint8Array | null {
    return this.#allowance === null ? null : Buffer.concat(this.#texts)
  }

  /** Whether the text has reached the maximum size that is stored. */
  isFull(): boolean {
    return this.#bytes > MAX_KEPT_BYTES
  }

  /** Whether the oldest piece is within the allowance, and followed by enough content. */
  #isFree(piece: StreamPiece, limit: AtomicUsdc): boolean {
    const worth = piece.chargeSoFar ?? this.#charge
    if ((worth ?? 0n) > limit || (worth === undefined && piece.isContent)) return false
    return this.#waitingContent - (piece.isContent ? 1 : 0) >= HELD_CONTENT
  }

  #addText(piece: StreamPiece): void {
    if (this.#allowance === null) return
    this.#texts.push(piece.bytes)
    this.#bytes += piece.bytes.byteLength
  }
}
