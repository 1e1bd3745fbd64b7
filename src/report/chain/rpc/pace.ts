/** How many requests one node is asked at the same time. */
export type Pace = {
  /** Waits for its turn, then works. */
  run<T>(work: () => Promise<T>): Promise<T>
  /** Something was answered: a little more may pass. */
  faster(): void
  /** The node asked for less. */
  slower(): void
}

const FIRST_AT_ONCE = 2

/**
 * Starts at two requests at once, rises by one for each round that is answered, up to `max`, and halves whenever
 * the node asks for less.
 */
export function createPace(max: number): Pace {
  const waiting: (() => void)[] = []
  let limit = Math.min(FIRST_AT_ONCE, max)
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
    faster() {
      limit = Math.min(max, limit + 1 / limit)
    },
    slower() {
      limit = Math.max(1, limit / 2)
    },
  }
}
