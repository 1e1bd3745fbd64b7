import type { StreamPiece } from '../../catalogue/answer.ts'
import type { AtomicUsdc } from '../../money/usdc.ts'

/** A handler's stream, read up to and with its first content. */
export type StreamSource = {
  /** What was read already, to be sent first. */
  readonly head: readonly StreamPiece[]
  /** The next piece, null at the end. @throws whatever the source throws, or the reason of the abort. */
  next(): Promise<StreamPiece | null>
  /** Lets go of the source, whether or not it is at its end. */
  stop(reason: unknown): Promise<void>
}

/** What was sent, and what it costs. */
export type Meter = { bytes: number; charge: AtomicUsdc | undefined }

/**
 * Waits for the first piece that the caller pays for, so that a source which fails before it costs nothing.
 * @returns null when the source ends without any.
 */
export async function openStreamSource(
  pieces: AsyncIterable<StreamPiece>,
  abort: AbortController,
): Promise<StreamSource | null> {
  const iterator = pieces[Symbol.asyncIterator]()
  const { signal } = abort
  // A race against one promise would leave a part of itself there with each piece.
  let giveUp: (reason: unknown) => void = () => {}
  signal.addEventListener('abort', () => giveUp(signal.reason), { once: true })

  async function next(): Promise<StreamPiece | null> {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<StreamPiece>>()
    giveUp = reject
    iterator.next().then(resolve, reject)
    const result = await promise
    return result.done ? null : result.value
  }

  async function stop(reason: unknown): Promise<void> {
    if (!signal.aborted) abort.abort(reason)
    // A source that does not listen to the signal would keep this waiting; it is told, and left.
    Promise.resolve(iterator.return?.()).catch(() => {})
  }

  const head: StreamPiece[] = []
  for (;;) {
    const piece = await next()
    if (!piece) return null
    head.push(piece)
    if (piece.isContent) return { head, next, stop }
  }
}

/** Counts a piece that goes out. */
export function meterPiece(meter: Meter, piece: StreamPiece): void {
  meter.bytes += piece.bytes.byteLength
  if (piece.chargeSoFar !== undefined) meter.charge = piece.chargeSoFar
}
