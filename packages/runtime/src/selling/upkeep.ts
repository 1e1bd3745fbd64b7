import { startTicker, type Ticker } from '@tollbook/flow/ticker'
import type { Logger } from 'pino'

/** Deletes expired data of one part, which is already invisible. */
export type Sweep = (now: Date, signal: AbortSignal) => Promise<unknown>

const HOUR_MS = 3_600_000

/** Deletes expired data once an hour to free disk space; it is already invisible before. */
export function startUpkeep({ sweeps, logger }: { sweeps: readonly Sweep[]; logger: Logger }): Ticker {
  return startTicker({
    everyMs: HOUR_MS,
    async work(signal) {
      for (const sweep of sweeps) await sweep(new Date(), signal)
    },
    onError: (error) => logger.warn({ err: error }, 'could not delete expired data'),
  })
}
