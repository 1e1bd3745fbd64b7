import type { AtomicUsdc } from '../../money/usdc.ts'
import { type Meter, meterPiece, type StreamSource } from './stream-source.ts'

/** How often a crash is prepared for. */
const CHECKPOINT_MS = 1_000

/** How a stream ended: whole, cut short on our side, or left by the client, which may just have stopped reading. */
export type LiveEnd = { readonly how: 'whole' | 'cut' | 'left'; readonly meter: Readonly<Meter> }

/**
 * The body of a live response. A piece counts as given once the connection has asked for it, so nothing is
 * read ahead of the client. It ends with its run even when nobody asks for more: a client that stands still would
 * otherwise keep what it was given until its authorization is too old to settle.
 */
export function toLiveBody(options: {
  readonly source: StreamSource
  readonly clock: () => Date
  /** The stream ends before a piece that would cost more. */
  readonly mostCharge?: AtomicUsdc
  /** Aborted when the client has left, even before it read anything. */
  readonly left: AbortSignal
  /** Aborted when the run is over, since the client has left or for its limit. */
  readonly over: AbortSignal
  /** Writes down what was given; false when the call is no longer ours. */
  readonly checkpoint: (meter: Readonly<Meter>) => Promise<boolean>
  /** Runs once, however the stream ends; gives a last comment. Its errors end the stream. */
  readonly finish: (end: LiveEnd) => Promise<Uint8Array | null>
}): ReadableStream<Uint8Array> {
  const { source, clock, mostCharge, left, over, checkpoint, finish } = options
  const head = [...source.head]
  const meter: Meter = { bytes: 0, charge: undefined }
  let writtenAt = clock().getTime()
  let isOver = false
  let isCancelled = false
  let isPulling = false
  /** What is still said once the run was over while nobody asked for more. */
  let lastWords: Promise<Uint8Array | null> | undefined
  const hasLeft = () => isCancelled || left.aborted
  over.addEventListener('abort', stop)

  async function nextPiece() {
    if (lastWords) throw over.reason
    const piece = head.shift() ?? (await source.next())
    const isTooDear = mostCharge !== undefined && (piece?.chargeSoFar ?? 0n) > mostCharge
    return isTooDear ? null : piece
  }

  async function end(how: LiveEnd['how']): Promise<Uint8Array | null> {
    isOver = true
    over.removeEventListener('abort', stop)
    await source.stop(how)
    return finish({ how, meter })
  }

  function stop(): void {
    if (isOver) return
    if (hasLeft()) end('left').catch(() => {})
    else if (!isPulling) lastWords = end('left').catch(() => null)
  }

  async function pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    isPulling = true
    await give(controller)
    isPulling = false
    if (over.aborted) stop()
  }

  async function give(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      const piece = await nextPiece()
      if (hasLeft()) return
      if (!piece) {
        const comment = await end('whole')
        if (comment) controller.enqueue(comment)
        controller.close()
        return
      }
      meterPiece(meter, piece)
      if (piece.isEnd) {
        const comment = await end('whole')
        controller.enqueue(comment ? Buffer.concat([comment, piece.bytes]) : piece.bytes)
        controller.close()
        return
      }
      const now = clock().getTime()
      if (now - writtenAt >= CHECKPOINT_MS) {
        writtenAt = now
        if (!(await checkpoint(meter))) throw new Error('the call was taken over by another process')
      }
      controller.enqueue(piece.bytes)
    } catch (error) {
      if (hasLeft()) return
      const comment = await (isOver ? lastWords : end('cut').catch(() => null))
      if (comment) controller.enqueue(comment)
      controller.error(error)
    }
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
