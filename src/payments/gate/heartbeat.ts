import type { Logger } from 'pino'
import { startTicker, type Ticker } from '../../flow/ticker.ts'
import type { Channels } from '../channels/open-channels.ts'
import type { AnswerStore } from '../ledger/answers.ts'
import { sweepLedger } from '../ledger/housekeeping.ts'
import type { Owner } from '../ledger/owners.ts'
import type { Recovery } from '../ledger/recovery.ts'
import { toQuietError } from '../quiet-error.ts'
import type { State } from '../state/state.ts'
import type { SaleHealth } from './health.ts'

const SWEEP_MS = 60 * 60_000

/** The periodic duties of a gate. */
export interface Heartbeat {
  start(): Promise<void>
  stop(): Promise<void>
}

export function createHeartbeat(parts: {
  readonly state: State
  readonly owner: Owner
  readonly recovery: Recovery
  readonly health: SaleHealth
  readonly answers: AnswerStore
  readonly channels: Channels
  readonly logger: Logger
  readonly clock: () => Date
  readonly everyMs: number
  /** Deletes expired rows that belong to the owner of this process, beyond those of the ledger. */
  readonly sweepOwn?: (now: Date) => Promise<void>
}): Heartbeat {
  const { state, owner, recovery, health, answers, channels, logger, clock, everyMs, sweepOwn } = parts
  const tickers: Ticker[] = []

  /** Runs a duty at an interval; if it fails, it is retried at the next one. */
  function repeat(duty: string, dutyEveryMs: number, work: () => Promise<void>): void {
    const onError = (error: unknown) =>
      logger.error({ err: toQuietError(error), duty }, 'periodic duty of the gate failed')
    tickers.push(startTicker({ work, everyMs: dutyEveryMs, onError }))
  }

  async function sweep(): Promise<void> {
    await sweepLedger(state, clock())
    await answers.sweep(clock())
    await sweepOwn?.(clock())
  }

  return {
    start: async () => {
      await health.refresh()
      await recovery.recover()
      repeat('lease', everyMs, () => owner.renew())
      repeat('recovery', everyMs, () => recovery.recover())
      repeat('claims', everyMs, () => channels.claims.run())
      repeat('health', everyMs, () => health.refresh())
      repeat('sweep', SWEEP_MS, sweep)
    },
    stop: async () => {
      await Promise.all(tickers.map((ticker) => ticker.stop()))
    },
  }
}
