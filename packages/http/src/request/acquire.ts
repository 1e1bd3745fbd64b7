import { Busy, type Semaphore } from '@tollbook/flow/semaphore'
import { ProblemError } from '../problem.ts'

/** Waits for a call's permit. @throws ProblemError `unavailable` when too many wait; the signal's reason. */
export async function acquire(semaphore: Semaphore, signal: AbortSignal): Promise<() => void> {
  try {
    return await semaphore.acquire(signal)
  } catch (error) {
    if (!(error instanceof Busy)) throw error
    const { message: detail, retryAfterSeconds } = error
    throw new ProblemError({ code: 'unavailable', detail, retryAfterSeconds }, { cause: error })
  }
}
