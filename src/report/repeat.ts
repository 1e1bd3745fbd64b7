import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { RpcRefusal } from '../chain/rpc/rpc-failure.ts'
import { InvalidAnswer, RetryableError } from '../fetching/failure.ts'
import { isDiskFull } from './ledger/disk-full.ts'

const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 60_000

export type RepeatOptions = {
  /** Runs one iteration; returns how many ms to wait before the next. */
  readonly work: (signal: AbortSignal) => Promise<number>
  /** For the log. */
  readonly name: string
  readonly logger: Logger
}

/**
 * Repeats work until the signal. Transient errors (an unreachable node, a reorganised chain, a full disk) are
 * retried with exponential backoff; any other error is thrown.
 */
export async function repeat({ work, name, logger }: RepeatOptions, signal: AbortSignal): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS
  while (!signal.aborted) {
    try {
      const restMs = await work(signal)
      pauseMs = FIRST_PAUSE_MS
      if (restMs > 0) await wait(restMs, undefined, { signal })
    } catch (error) {
      if (signal.aborted) return
      if (isDiskFull(error)) {
        logger.error({ err: error, pauseMs }, `${name} paused: disk full; resumes when space is freed`)
      } else if (isTransient(error)) logger.warn({ err: error, pauseMs }, `${name} failed; retrying`)
      else throw error
      await wait(pauseMs, undefined, { signal }).catch(() => {})
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)
    }
  }
}

/** RPC errors and malformed responses count as transient, too: the next response may be correct. */
function isTransient(error: unknown): boolean {
  return error instanceof RetryableError || error instanceof RpcRefusal || error instanceof InvalidAnswer
}
