/** Work that is done again and again, never twice at a time. */
export type Repetition = {
  start(): void
  /** Has it done now instead of at its time. */
  hurry(): void
  /** Waits for what is under way; afterwards nothing more is done. */
  stop(): Promise<void>
}

/** Repeats `work`, which must not throw, with `everyMs` between an end and the next begin. Keeps no process alive. */
export function createRepetition(work: () => Promise<void>, everyMs: number): Repetition {
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
    hurry: run,
    async stop() {
      isStopped = true
      if (timer) clearTimeout(timer)
      await running
    },
  }
}
