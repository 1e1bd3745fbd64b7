/** Work that runs at an interval, without overlap. */
export type Ticker = {
  start(): void
  /** Runs it now instead of at its time. */
  runNow(): void
  /** Waits for the current run, and stops the repetition. */
  stop(): Promise<void>
}

/**
 * Repeats `work`, which must not throw, with `everyMs` between the end of a run and the start of the next.
 * Does not keep the process alive.
 */
export function createTicker(work: () => Promise<void>, everyMs: number): Ticker {
  let timer: NodeJS.Timeout | null = null
  let running: Promise<void> | null = null
  let isWantedAgain = false
  let isStopped = true

  const run = () => {
    if (isStopped) return
    if (running) {
      isWantedAgain = true
      return
    }
    if (timer) clearTimeout(timer)
    running = work().finally(() => {
      running = null
      if (isStopped) return
      timer = setTimeout(run, isWantedAgain ? 0 : everyMs)
      timer.unref()
      isWantedAgain = false
    })
  }
  return {
    start() {
      if (!isStopped) return
      isStopped = false
      timer = setTimeout(run, everyMs)
      timer.unref()
    },
    runNow: run,
    async stop() {
      isStopped = true
      if (timer) clearTimeout(timer)
      await running
    },
  }
}
