import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { Deadline } from '@tollbook/flow/deadline'
import type { StreamPiece } from '../contract/answer.ts'

/** A handler's stream, read up to and including its first content. */
export type StreamSource = {
  /** What has been read already, to be sent first. */
  readonly head: readonly StreamPiece[]
  /** The next piece, null at the end. @throws whatever the source throws, or the reason of the abort. */
  next(): Promise<StreamPiece | null>
  /** Releases the source, whether or not it is at its end. */
  stop(reason: unknown): Promise<void>
}

/** What was sent, and its price. */
export type Meter = { bytes: number; charge: AtomicUsdc | undefined }

/**
 * Waits for the first piece that the caller pays for, so that a source that fails before it costs nothing.
 * @returns null if the source ends without any.
 */
export async function openStreamSource(
  pieces: AsyncIterable<StreamPiece>,
  { signal, abort }: Pick<Deadline, 'signal' | 'abort'>,
): Promise<StreamSource | null> {
  const iterator = pieces[Symbol.asyncIterator]()
  // Racing against one long-lived promise would leak a reaction for each piece.
  let giveUp: (reason: unknown) => void = () => {}
  signal.addEventListener('abort', () => giveUp(signal.reason), { once: true })

  let isAtEnd = false

  async function next(): Promise<StreamPiece | null> {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<StreamPiece>>()
    giveUp = reject
    iterator.next().then(resolve, reject)
    const result = await promise
    isAtEnd = result.done === true || result.value.isEnd === true
    return result.done ? null : result.value
  }

  async function stop(reason: unknown): Promise<void> {
    // A source at its end closes by itself; aborting it would cut a connection that can serve another call.
    if (!signal.aborted && !isAtEnd) abort(reason)
    // Not awaited: a source that ignores the signal would block here.
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

/** Counts a piece that is sent. */
export function meterPiece(meter: Meter, piece: StreamPiece): void {
  meter.bytes += piece.bytes.byteLength
  if (piece.chargeSoFar !== undefined) meter.charge = piece.chargeSoFar
}
