import { setTimeout as wait } from 'node:timers/promises'
import { repeat } from './repeat.ts'

/** Work that runs in the background at an interval, without overlap. */
export type Ticker = {
  /** Runs it now instead of at its time, or once more after the current run. */
  runNow(): void
  /** Aborts the signal of the current run, waits for its end, and stops the repetition. */
  stop(): Promise<void>
}

export type TickerOptions = {
  readonly work: (signal: AbortSignal) => Promise<unknown>
  /** Between the end of a run and the start of the next, and before the first run. */
  readonly everyMs: number
  /** After an error the next run is at its usual time. Must not throw. */
  readonly onError: (error: unknown) => void
}

/** Starts a ticker, which does not keep the process alive. */
export function startTicker({ work, everyMs, onError }: TickerOptions): Ticker {
  const end = new AbortController()
  let wake = new AbortController()
  const rest = async (ms: number, signal: AbortSignal) => {
    const either = AbortSignal.any([signal, wake.signal])
    await wait(ms, undefined, { signal: either, ref: false }).catch(() => {})
    wake = new AbortController()
  }
  const run = async (signal: AbortSignal) => {
    await work(signal)
    return everyMs
  }
  const fail = (error: unknown) => {
    onError(error)
    return everyMs
  }
  const ended = rest(everyMs, end.signal).then(() => repeat({ work: run, onError: fail, rest }, end.signal))
  return {
    runNow: () => wake.abort(),
    stop() {
      end.abort()
      return ended
    },
  }
}
