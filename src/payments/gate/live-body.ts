import type { StreamPiece } from '../../catalogue/answer.ts'
import type { AtomicUsdc } from '../../money/usdc.ts'
import { MAX_KEPT_BYTES } from './recorded-body.ts'
import { type Meter, meterPiece, type StreamSource } from './stream-source.ts'

/** The last pieces of content are held until the settlement, however little they cost. Chosen: about eight words, the end of an answer. */
const HELD_CONTENT = 8

/**
 * The allowance of a client that gets nothing before the end, since what it leaves it has not received: less than any
 * content costs, even free content.
 */
export const NOTHING_LIVE: AtomicUsdc = -1n

/** Pieces of a live answer on their way to a client. */
interface HeldPieces {
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

/** How often the state for a crash is stored. */
const CHECKPOINT_MS = 1_000
/** Proxies close connections that are silent for longer; nginx after 60 s. */
const SILENT_MS = 15_000

/**
 * How a stream ended. `whole`: at its end. `failed`: its source failed. `stopped`: at the limit of its run,
 * or because the payer no longer covers it. `left`: the client disconnected, or just stopped reading.
 */
export type LiveEnd = {
  readonly how: 'whole' | 'failed' | 'stopped' | 'left'
  /** What is owed: everything the source produced, or what was delivered if the client left. */
  readonly meter: Readonly<Meter>
  /** The text that is owed, if some of it is held until the settlement. */
  readonly text: Uint8Array | null
}

/** What the client still receives: a comment, and if it has paid, the content that was held back. */
export type Conclusion = { readonly comment: Uint8Array | null; readonly isPaid: boolean }

/** Thrown by a checkpoint if the payer no longer covers what it owes. */
export class Uncovered extends Error {
  override readonly name = 'Uncovered'
}

/**
 * The body of a live response that is paid at its end. A piece counts as delivered once the connection has
 * requested it. Nothing is read ahead of the client, except content that is held until it is paid. The body
 * ends with its run even if the client stops reading: a stalled client would otherwise have its content until
 * the authorization is too old to settle.
 */
export function toLiveBody(options: {
  readonly source: StreamSource
  readonly clock: () => Date
  /** The stream ends before a piece that would cost more. */
  readonly maxCharge: AtomicUsdc
  /** Micro-USDC of content that is sent before it is paid; null: everything. */
  readonly allowance: AtomicUsdc | null
  /** Aborted when the client has disconnected, even before it read anything. */
  readonly left: AbortSignal
  /** Aborted when the run is over, because of its limit or because the client has disconnected. */
  readonly over: AbortSignal
  /** Sent during long silences. */
  readonly silence: Uint8Array
  /**
   * Stores what was delivered, and checks that the payer covers what was read. @throws if the call must not
   * continue.
   */
  readonly checkpoint: (given: Readonly<Meter>, read: Readonly<Meter>) => Promise<void>
  /** Runs once, however the stream ends. Its errors end the stream. */
  readonly finish: (end: LiveEnd) => Promise<Conclusion>
}): ReadableStream<Uint8Array> {
  const { source, clock, maxCharge, allowance, left, over, checkpoint, finish } = options
  const head = [...source.head]
  const held = createHeldPieces(allowance)
  const given: Meter = { bytes: 0, charge: undefined }
  const read: Meter = { bytes: 0, charge: undefined }
  let checkedAt = clock().getTime()
  let sentAt = checkedAt
  let isOver = false
  let isCancelled = false
  let isPulling = false
  /** Counted as delivered, but not sent yet. */
  let next: Uint8Array | undefined
  /** Final comment, computed when the run ended while the client was not reading. */
  let finalConclusion: Promise<Conclusion> | undefined
  const hasLeft = () => isCancelled || left.aborted
  over.addEventListener('abort', stop)

  async function nextPiece(): Promise<StreamPiece | null> {
    if (finalConclusion) throw over.reason
    const piece = head.shift() ?? (await source.next())
    return (piece?.chargeSoFar ?? 0n) > maxCharge || held.isFull() ? null : piece
  }

  async function end(how: LiveEnd['how']): Promise<Conclusion> {
    isOver = true
    over.removeEventListener('abort', stop)
    await source.stop(how)
    const isRepeatable = how === 'whole' || how === 'stopped'
    return finish({ how, meter: how === 'left' ? given : read, text: isRepeatable ? held.text() : null })
  }

  function stop(): void {
    if (isOver) return
    if (hasLeft()) end('left').catch(() => {})
    else if (!isPulling) finalConclusion = end('left').catch(() => NOTHING)
  }

  async function pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    isPulling = true
    await give(controller)
    isPulling = false
    if (over.aborted) stop()
  }

  async function give(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      for (;;) {
        const bytes = await nextBytes(controller)
        if (!bytes) return
        if (bytes.byteLength === 0) continue
        sentAt = clock().getTime()
        next = undefined
        controller.enqueue(bytes)
        return
      }
    } catch (error) {
      if (hasLeft()) return
      const how = over.aborted || error instanceof Uncovered ? 'stopped' : 'failed'
      const { comment, isPaid } =
        (await (isOver ? finalConclusion : end(how).catch(() => NOTHING))) ?? NOTHING
      const rest = isPaid && !finalConclusion ? [next, ...held.takeRest()] : []
      enqueueAll(controller, [...rest, comment])
      controller.error(error)
    }
  }

  /** The next bytes to send, empty while they are held; null at the end. */
  async function nextBytes(
    controller: ReadableStreamDefaultController<Uint8Array>,
  ): Promise<Uint8Array | null> {
    let free = held.takeFree()
    if (!free) {
      const piece = await nextPiece()
      if (hasLeft()) return null
      if (piece) meterPiece(read, piece)
      if (!piece || piece.isEnd) {
        await conclude(controller, piece)
        return null
      }
      held.push(piece)
      free = held.takeFree()
    }
    if (free) meterPiece(given, free)
    next = free?.bytes
    const now = clock().getTime()
    if (now - checkedAt >= CHECKPOINT_MS) {
      checkedAt = now
      await checkpoint(given, read)
    }
    if (free) return free.bytes
    return now - sentAt >= SILENT_MS ? options.silence : EMPTY
  }

  /** @param last the piece at which clients of the format stop reading. */
  async function conclude(
    controller: ReadableStreamDefaultController<Uint8Array>,
    last: StreamPiece | null,
  ): Promise<void> {
    if (last) held.addEnd(last)
    const { comment, isPaid } = await end('whole')
    if (!isPaid && allowance !== null) {
      enqueueAll(controller, [comment])
      controller.error(new Error('the payment did not settle'))
      return
    }
    enqueueAll(controller, [...held.takeRest(), comment, last?.bytes])
    controller.close()
  }

  return new ReadableStream<Uint8Array>(
    {
      pull,
      cancel: async () => {
        isCancelled = true
        if (!isOver) await end('left')
      },
    },
    { highWaterMark: 0 },
  )
}

const NOTHING: Conclusion = { comment: null, isPaid: false }
const EMPTY = new Uint8Array()

/** In one chunk: an error that follows would drop chunks that the client has not requested yet. */
function enqueueAll(
  controller: ReadableStreamDefaultController<Uint8Array>,
  parts: readonly (Uint8Array | null | undefined)[],
): void {
  const bytes = Buffer.concat(parts.filter((part) => part !== null && part !== undefined))
  if (bytes.byteLength > 0) controller.enqueue(bytes)
}

/**
 * Holds back the content that a payer gets only after the settlement.
 * @param allowance micro-USDC of content that is sent before it; null: everything.
 */
function createHeldPieces(allowance: AtomicUsdc | null): HeldPieces {
  const waiting: StreamPiece[] = []
  const texts: Uint8Array[] = []
  let waitingContent = 0
  let bytes = 0
  let charge: AtomicUsdc | undefined

  /** Whether the oldest piece is within the allowance, and followed by enough content. */
  function isFree(piece: StreamPiece, limit: AtomicUsdc): boolean {
    const worth = piece.chargeSoFar ?? charge
    if ((worth ?? 0n) > limit || (worth === undefined && piece.isContent)) return false
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
