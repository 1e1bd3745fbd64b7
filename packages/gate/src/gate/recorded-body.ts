import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { StreamSource } from './stream-source.ts'

/**
 * Longer texts are not stored. Chosen: 8,192 tokens, the longest metered answer, each in an event of 400
 * bytes, are 3.3 MB.
 */
export const MAX_KEPT_BYTES = 4 * 1024 * 1024

export type RecordedEnd = {
  /** Whether the source came to its end. */
  readonly isWhole: boolean
  /** Whether the client disconnected from a text too long to store, so that reading on was of no use. */
  readonly wasLeft: boolean
  /** The whole text; null if it is incomplete or too long. */
  readonly text: Uint8Array | null
}

/**
 * The body of a live response that is already paid. The source is read to its end at its own speed, even if
 * the client reads slowly or disconnects, so that one run produces one text that can be repeated. Only a text
 * that is too long to store waits for its client, and ends when the client disconnects.
 */
export function toRecordedBody(options: {
  readonly source: StreamSource
  /** The stream ends before a piece that would cost more. */
  readonly maxCharge: AtomicUsdc
  /** Runs once, when the source is read no further. */
  readonly finish: (end: RecordedEnd) => Promise<void>
}): ReadableStream<Uint8Array> {
  const { source, maxCharge, finish } = options
  /** All pieces, or the part of a long text that is not sent yet. */
  let pieces: Uint8Array[] = []
  let sent = 0
  let bytes = 0
  let isLeft = false
  let end: { readonly error?: unknown } | null = null
  let wakeClient = () => {}
  let wakeSource = () => {}
  const isTooLong = () => bytes > MAX_KEPT_BYTES

  async function read(): Promise<void> {
    const head = [...source.head]
    for (;;) {
      const piece = head.shift() ?? (await source.next())
      if (!piece || (piece.chargeSoFar ?? 0n) > maxCharge) return
      pieces.push(piece.bytes)
      bytes += piece.bytes.byteLength
      if (piece.isEnd) return
      wakeClient()
      while (isTooLong() && sent < pieces.length && !isLeft)
        await new Promise<void>((resolve) => {
          wakeSource = resolve
        })
      if (!isTooLong()) continue
      if (isLeft) throw new Error('the client disconnected')
      pieces = []
      sent = 0
    }
  }

  async function run(): Promise<void> {
    try {
      await read()
      await source.stop('whole')
      await finish({ isWhole: true, wasLeft: false, text: isTooLong() ? null : Buffer.concat(pieces) })
      end = {}
    } catch (error) {
      await source.stop(error)
      await finish({ isWhole: false, wasLeft: isTooLong() && isLeft, text: null }).catch(() => {})
      end = { error }
    }
    wakeClient()
  }

  void run()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        while (sent >= pieces.length && !end)
          await new Promise<void>((resolve) => {
            wakeClient = resolve
          })
        if (isLeft) return
        const piece = pieces[sent]
        sent += 1
        wakeSource()
        if (piece) controller.enqueue(piece)
        else if (end && 'error' in end) controller.error(end.error)
        else controller.close()
      },
      cancel() {
        isLeft = true
        wakeSource()
        wakeClient()
      },
    },
    { highWaterMark: 0 },
  )
}
