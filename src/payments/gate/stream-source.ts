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
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  // The race below is not always running when the signal comes.
  aborted.catch(() => {})

  async function next(): Promise<StreamPiece | null> {
    const result = await Promise.race([iterator.next(), aborted])
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
