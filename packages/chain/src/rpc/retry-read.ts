import { setTimeout as wait } from 'node:timers/promises'
import { Unreachable } from '@tollbook/flow/failure'
import { RateLimited } from './rpc-failure.ts'

const FIRST_PAUSE_MS = 250
/** A longer pause is left to the caller, who may use another node meanwhile. */
const MAX_PAUSE_MS = 10_000

export type RetryOptions = {
  /** Maximum attempts, with pauses of 0.25, 0.5 and 1 s, or as long as the server requests. */
  readonly attempts: number
  /** Whether a failure would only repeat itself. */
  readonly isHopeless?: (error: unknown) => boolean
  readonly signal?: AbortSignal | undefined
}

/** Repeats a read that failed because its server was unreachable or rate limiting. @throws the last failure. */
export async function retryRead<T>(
  read: () => Promise<T>,
  { attempts, isHopeless, signal }: RetryOptions,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read()
    } catch (error) {
      signal?.throwIfAborted()
      const pauseMs = toPause(error, attempt)
      if (pauseMs === null || attempt >= attempts || isHopeless?.(error)) throw error
      await wait(pauseMs, undefined, signal && { signal })
    }
  }
}

/** @returns null if a retry would not help. */
function toPause(error: unknown, attempt: number): number | null {
  const standard = FIRST_PAUSE_MS * 2 ** (attempt - 1)
  if (!(error instanceof RateLimited)) return error instanceof Unreachable ? standard : null
  const requested = error.retryAfterMs ?? standard
  return requested > MAX_PAUSE_MS ? null : requested
}
