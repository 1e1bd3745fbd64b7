import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { InvalidAnswer, RetryableError } from '../fetching/failure.ts'
import { RpcRefusal } from './chain/rpc/rpc-failure.ts'
import { isDiskFull } from './ledger/disk-full.ts'

const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 60_000

export type Repeated = {
  /** Does one turn; gives how many ms to rest before the next. */
  readonly work: (signal: AbortSignal) => Promise<number>
  /** For the log. */
  readonly name: string
  readonly logger: Logger
}

/**
 * Repeats work until the signal. What may pass (an unreachable node, a chain that moved, a full disk) is tried again after
 * rising pauses; anything else is thrown.
 */
export async function repeat({ work, name, logger }: Repeated, signal: AbortSignal): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS
  while (!signal.aborted) {
    try {
      const restMs = await work(signal)
      pauseMs = FIRST_PAUSE_MS
      if (restMs > 0) await wait(restMs, undefined, { signal })
    } catch (error) {
      if (signal.aborted) return
      if (isDiskFull(error)) {
        logger.error({ err: error, pauseMs }, `${name} waits: a disk is full; free space, and it goes on`)
      } else if (mayPass(error)) logger.warn({ err: error, pauseMs }, `${name} failed and is tried again`)
      else throw error
      await wait(pauseMs, undefined, { signal }).catch(() => {})
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)
    }
  }
}

/** A node's refusals and malformed answers are its own trouble, too: another answer may follow. */
function mayPass(error: unknown): boolean {
  return error instanceof RetryableError || error instanceof RpcRefusal || error instanceof InvalidAnswer
}
