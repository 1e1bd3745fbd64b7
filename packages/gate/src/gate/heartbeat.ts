import type { Logger } from '@tollbook/flow/logger'
import { startTicker, type Ticker } from '@tollbook/flow/ticker'
import type { AnswerStore } from '../calls/answers.ts'
import { sweepCalls } from '../calls/housekeeping.ts'
import type { Owner } from '../calls/owners.ts'
import type { Recovery } from '../calls/recovery.ts'
import { toQuietError } from '../quiet-error.ts'
import type { State } from '../state/state.ts'
import type { Channels } from './channels.ts'
import type { SaleHealth } from './health.ts'

const SWEEP_MS = 60 * 60_000

/** The periodic duties of a gate. */
export class Heartbeat {
  readonly #state: State
  readonly #owner: Owner
  readonly #recovery: Recovery
  readonly #health: SaleHealth
  readonly #answers: AnswerStore
  readonly #claims: Channels['claims']
  readonly #logger: Logger
  readonly #clock: () => Date
  readonly #everyMs: number
  readonly #sweepOwn: ((now: Date) => Promise<void>) | undefined
  readonly #tickers: Ticker[] = []

  constructor(parts: {
    readonly state: State
    readonly owner: Owner
    readonly recovery: Recovery
    readonly health: SaleHealth
    readonly answers: AnswerStore
    readonly claims: Channels['claims']
    readonly logger: Logger
    readonly clock: () => Date
    readonly everyMs: number
    /** Deletes expired rows that belong to the owner of this process, beyond those of the calls. */
    readonly sweepOwn?: (now: Date) => Promise<void>
  }) {
    this.#state = parts.state
    this.#owner = parts.owner
    this.#recovery = parts.recovery
    this.#health = parts.health
    this.#answers = parts.answers
    this.#claims = parts.claims
    this.#logger = parts.logger
    this.#clock = parts.clock
    this.#everyMs = parts.everyMs
    this.#sweepOwn = parts.sweepOwn
  }

  async start(): Promise<void> {
    await this.#health.refresh()
    await this.#recovery.recover()
    this.#repeat('lease', this.#everyMs, () => this.#owner.renew())
    this.#repeat('recovery', this.#everyMs, () => this.#recovery.recover())
    const claims = this.#claims
    if (claims) this.#repeat('claims', this.#everyMs, () => claims.run())
    this.#repeat('health', this.#everyMs, () => this.#health.refresh())
    this.#repeat('sweep', SWEEP_MS, () => this.#sweep())
  }

  async stop(): Promise<void> {
    await Promise.all(this.#tickers.map((ticker) => ticker.stop()))
  }

  /** Runs a duty at an interval; if it fails, it is retried at the next one. */
  #repeat(duty: string, everyMs: number, work: () => Promise<void>): void {
    const onError = (error: unknown) =>
      this.#logger.error({ err: toQuietError(error), duty }, 'periodic duty of the gate failed')
    this.#tickers.push(startTicker({ work, everyMs, onError }))
  }

  async #sweep(): Promise<void> {
    await sweepCalls(this.#state, this.#clock())
    await this.#answers.sweep(this.#clock())
    await this.#sweepOwn?.(this.#clock())
  }
}
