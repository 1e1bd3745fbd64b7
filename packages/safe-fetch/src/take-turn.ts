import { TooManyFetches } from '@tollbook/flow/failure'
import { Busy, type Semaphore } from '@tollbook/flow/semaphore'

/**
 * Waits until another request to a host, or for a payer, may run.
 * @returns what releases the permit.
 * @throws TooManyFetches if too many wait, or the signal ends the wait: the host was never called.
 */
export async function takeTurn(semaphore: Semaphore, key: string, signal: AbortSignal): Promise<() => void> {
  signal.throwIfAborted()
  try {
    return await semaphore.acquire(signal, key)
  } catch (error) {
    const reason = error instanceof Busy ? 'too many requests are queued' : 'no permit in time'
    throw new TooManyFetches(`${reason} for ${key}`, { cause: error })
  }
}
