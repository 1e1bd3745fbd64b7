/** An adaptive concurrency limit (AIMD) for requests to one node. */
export type Pace = {
  /** Waits for a slot, then works. */
  run<T>(work: () => Promise<T>): Promise<T>
  /** A request succeeded: increase the limit slightly. */
  faster(): void
  /** The node is overloaded: decrease the limit. */
  slower(): void
}

const FIRST_AT_ONCE = 2

/**
 * Starts at two concurrent requests, rises by one per successful round up to `max`, and halves whenever the
 * node is overloaded.
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
