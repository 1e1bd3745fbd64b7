import { setTimeout as wait } from 'node:timers/promises'

export type Repetition = {
  /** Runs once. @returns how long to wait before the next run, ms. */
  readonly work: (signal: AbortSignal) => Promise<number>
  /**
   * Handles an error of `work`; what it throws ends the repetition.
   * @param failures consecutive failed runs, including this one
   * @returns how long to wait before the next run, ms.
   */
  readonly onError: (error: unknown, failures: number) => number
  /** Waits between two runs; by default with a timer that keeps the process alive. */
  readonly rest?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

/**
 * Repeats work until the signal, without overlap: the wait begins at the end of a run. Errors after the
 * signal are ignored.
 */
export async function repeat(repetition: Repetition, signal: AbortSignal): Promise<void> {
  const { work, onError, rest = (ms) => wait(ms, undefined, { signal }) } = repetition
  let failures = 0
  while (!signal.aborted) {
    let restMs: number
    try {
      restMs = await work(signal)
      failures = 0
    } catch (error) {
      if (signal.aborted) return
      failures += 1
      restMs = onError(error, failures)
    }
    if (restMs > 0) await rest(restMs, signal).catch(() => {})
  }
}
