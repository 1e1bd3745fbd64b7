import { RpcRefusal } from '@tollbook/chain/rpc/rpc-failure'
import { DatabaseAway } from '@tollbook/flow/database-away'
import { isDiskFull } from '@tollbook/flow/disk-full'
import { InvalidAnswer, RetryableError } from '@tollbook/flow/failure'
import { repeat } from '@tollbook/flow/repeat'
import type { Logger } from 'pino'

const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 60_000

export type LoopOptions = {
  readonly work: (signal: AbortSignal) => Promise<unknown>
  /** Between the end of a run and the start of the next. */
  readonly everyMs: number
  /** For the log. */
  readonly name: string
  readonly logger: Logger
}

/** Repeats work until the signal; transient errors are retried with exponential backoff, others thrown. */
export function runLoop({ work, everyMs, name, logger }: LoopOptions, signal: AbortSignal): Promise<void> {
  const onError = (error: unknown, failures: number) => {
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), MAX_PAUSE_MS)
    if (isDiskFull(error)) {
      logger.error({ err: error, pauseMs }, `${name} paused: disk full; resumes when space is freed`)
    } else if (isTransient(error)) logger.warn({ err: error, pauseMs }, `${name} failed; retrying`)
    else throw error
    return pauseMs
  }
  return repeat({ work: (signal) => work(signal).then(() => everyMs), onError }, signal)
}

/** RPC errors and malformed responses count as transient, too: the next response may be correct. */
function isTransient(error: unknown): boolean {
  const kinds = [RetryableError, RpcRefusal, InvalidAnswer, DatabaseAway]
  return kinds.some((kind) => error instanceof kind)
}
