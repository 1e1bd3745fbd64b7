import { Busy, type Semaphore } from '../flow/semaphore.ts'
import { TooManyFetches } from './failure.ts'

/**
 * Waits until a host, or a payer, may have one more request under way.
 * @returns what ends the turn.
 * @throws TooManyFetches when too many wait, or the signal ends the wait: the host was never asked.
 */
export async function takeTurn(semaphore: Semaphore, key: string, signal: AbortSignal): Promise<() => void> {
  signal.throwIfAborted()
  try {
    return await semaphore.acquire(signal, key)
  } catch (error) {
    const reason = error instanceof Busy ? 'too many requests already wait' : 'no turn came in time'
    throw new TooManyFetches(`${reason} for ${key}`, { cause: error })
  }
}
