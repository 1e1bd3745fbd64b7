import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { StreamPiece } from '../contract/answer.ts'
import { HeldPieces } from './held-pieces.ts'
import { type Meter, meterPiece, type StreamSource } from './stream-source.ts'

/**
 * The allowance of a client that gets nothing before the end, since what it leaves it has not received: less than any
 * content costs, even free content.
 */
export const NOTHING_LIVE: AtomicUsdc = -1n

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

/** What a live body needs. */
export type LiveBodyOptions = {
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
}

type Controller = ReadableStreamDefaultController<Uint8Array>

/**
 * The body of a live response that is paid at its end. A piece counts as delivered once the connection has
 * requested it. Nothing is read ahead of the client, except content that is held until it is paid. The body
 * ends with its run even if the client stops reading: a stalled client would otherwise have its content until
 * the authorization is too old to settle.
 */
export class LiveBody {
  readonly #options: LiveBodyOptions
  readonly #head: StreamPiece[]
  readonly #held: HeldPieces
  readonly #given: Meter = { bytes: 0, charge: undefined }
  readonly #read: Meter = { bytes: 0, charge: undefined }
  #checkedAt: number
  #sentAt: number
  #isOver = false
  #isCancelled = false
  #isPulling = false
  /** Counted as delivered, but not sent yet. */
  #next: Uint8Array | undefined
  /** Final comment, computed when the run ended while the client was not reading. */
  #finalConclusion: Promise<Conclusion> | undefined

  constructor(options: LiveBodyOptions) {
    this.#options = options
    this.#head = [...options.source.head]
    this.#held = new HeldPieces(options.allowance)
    this.#checkedAt = options.clock().getTime()
    this.#sentAt = this.#checkedAt
    options.over.addEventListener('abort', this.#stop)
  }

  toStream(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      { pull: (controller) => this.#pull(controller), cancel: () => this.#cancel() },
      { highWaterMark: 0 },
    )
  }

  async #pull(controller: Controller): Promise<void> {
    this.#isPulling = true
    await this.#give(controller)
    this.#isPulling = false
    if (this.#options.over.aborted) this.#stop()
  }

  async #give(controller: Controller): Promise<void> {
    try {
      for (;;) {
        const bytes = await this.#nextBytes(controller)
        if (!bytes) return
        if (bytes.byteLength === 0) continue
        this.#sentAt = this.#nowMs()
        this.#next = undefined
        controller.enqueue(bytes)
        return
      }
    } catch (error) {
      if (!this.#hasLeft()) await this.#fail(controller, error)
    }
  }

  /** The next bytes to send, empty while they are held; null at the end. */
  async #nextBytes(controller: Controller): Promise<Uint8Array | null> {
    const held = this.#held
    let free = held.takeFree()
    if (!free) {
      const piece = await this.#nextPiece()
      if (this.#hasLeft()) return null
      if (piece) meterPiece(this.#read, piece)
      if (!piece || piece.isEnd) {
        await this.#conclude(controller, piece)
        return null
      }
      held.push(piece)
      free = held.takeFree()
    }
    if (free) meterPiece(this.#given, free)
    this.#next = free?.bytes
    const now = this.#nowMs()
    if (now - this.#checkedAt >= CHECKPOINT_MS) {
      this.#checkedAt = now
      await this.#options.checkpoint(this.#given, this.#read)
    }
    if (free) return free.bytes
    return now - this.#sentAt >= SILENT_MS ? this.#options.silence : EMPTY
  }

  async #nextPiece(): Promise<StreamPiece | null> {
    const { source, maxCharge, over } = this.#options
    if (this.#finalConclusion) throw over.reason
    const piece = this.#head.shift() ?? (await source.next())
    return (piece?.chargeSoFar ?? 0n) > maxCharge || this.#held.isFull() ? null : piece
  }

  /** @param last the piece at which clients of the format stop reading. */
  async #conclude(controller: Controller, last: StreamPiece | null): Promise<void> {
    if (last) this.#held.addEnd(last)
    const { comment, isPaid } = await this.#end('whole')
    if (!isPaid && this.#options.allowance !== null) {
      enqueueAll(controller, [comment])
      controller.error(new Error('the payment did not settle'))
      return
    }
    enqueueAll(controller, [...this.#held.takeRest(), comment, last?.bytes])
    controller.close()
  }

  async #fail(controller: Controller, error: unknown): Promise<void> {
    const how = this.#options.over.aborted || error instanceof Uncovered ? 'stopped' : 'failed'
    const ending = this.#isOver ? this.#finalConclusion : this.#end(how).catch(() => NOTHING)
    const { comment, isPaid } = (await ending) ?? NOTHING
    const rest = isPaid && !this.#finalConclusion ? [this.#next, ...this.#held.takeRest()] : []
    enqueueAll(controller, [...rest, comment])
    controller.error(error)
  }

  async #end(how: LiveEnd['how']): Promise<Conclusion> {
    const { over, source, finish } = this.#options
    this.#isOver = true
    over.removeEventListener('abort', this.#stop)
    await source.stop(how)
    const meter = how === 'left' ? this.#given : this.#read
    const isRepeatable = how === 'whole' || how === 'stopped'
    return finish({ how, meter, text: isRepeatable ? this.#held.text() : null })
  }

  async #cancel(): Promise<void> {
    this.#isCancelled = true
    if (!this.#isOver) await this.#end('left')
  }

  /** Ends the stream with its run. */
  readonly #stop = (): void => {
    if (this.#isOver) return
    if (this.#hasLeft()) this.#end('left').catch(() => {})
    else if (!this.#isPulling) this.#finalConclusion = this.#end('left').catch(() => NOTHING)
  }

  #hasLeft(): boolean {
    return this.#isCancelled || this.#options.left.aborted
  }

  #nowMs(): number {
    return this.#options.clock().getTime()
  }
}

const NOTHING: Conclusion = { comment: null, isPaid: false }
const EMPTY = new Uint8Array()

/** In one chunk: an error that follows would drop chunks that the client has not requested yet. */
function enqueueAll(controller: Controller, parts: readonly (Uint8Array | null | undefined)[]): void {
  const bytes = Buffer.concat(parts.filter((part) => part !== null && part !== undefined))
  if (bytes.byteLength > 0) controller.enqueue(bytes)
}
