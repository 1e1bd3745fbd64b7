/** A concurrency limit that adapts to what an upstream accepts (AIMD). */
export type AdaptiveLimit = {
  /** Waits for a permit, then works. */
  run<T>(work: () => Promise<T>): Promise<T>
  /** Call it after a success: raises the limit by one per successful round. */
  increase(): void
  /** Call it when the upstream is overloaded: halves the limit. */
  decrease(): void
}

const FIRST_CONCURRENT = 2

/** Starts at two concurrent pieces of work; the limit stays between one and `max`. */
export function createAdaptiveLimit(max: number): AdaptiveLimit {
  const waiting: (() => void)[] = []
  let limit = Math.min(FIRST_CONCURRENT, max)
  let running = 0
  const admit = () => {
    while (running < Math.floor(limit)) {
      const next = waiting.shift()
      if (!next) return
      running++
      next()
    }
  }
  return {
    async run(work) {
      await new Promise<void>((resolve) => {
        waiting.push(resolve)
        admit()
      })
      try {
        return await work()
      } finally {
        running--
        admit()
      }
    },
    increase() {
      limit = Math.min(max, limit + 1 / limit)
    },
    decrease() {
      limit = Math.max(1, limit / 2)
    },
  }
}
