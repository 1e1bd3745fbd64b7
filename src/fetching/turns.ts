import { TooManyFetches } from './failure.ts'

/** Lets only so many at a time work under one key; the others wait in the order in which they came. */
export type Turns = {
  /**
   * Waits for a turn.
   * @returns what ends the turn; to be called once.
   * @throws TooManyFetches when too many wait, or the signal ends the wait.
   */
  take(key: string, signal: AbortSignal): Promise<() => void>
}

type Line = { working: number; readonly waiting: Set<() => void> }

/**
 * @param most at work under one key at a time, in this process.
 * @param mostWaiting under one key.
 */
export function createTurns({
  most,
  mostWaiting,
}: {
  readonly most: number
  readonly mostWaiting: number
}): Turns {
  const lines = new Map<string, Line>()
  const endOf = (key: string, line: Line) => () => {
    const [next] = line.waiting
    if (next) {
      line.waiting.delete(next)
      // The turn passes on: nobody who comes now gets in between.
      next()
    } else {
      line.working -= 1
      if (line.working === 0) lines.delete(key)
    }
  }
  return {
    async take(key, signal) {
      signal.throwIfAborted()
      const line = lines.get(key) ?? { working: 0, waiting: new Set() }
      lines.set(key, line)
      if (line.working < most) {
        line.working += 1
        return endOf(key, line)
      }
      if (line.waiting.size >= mostWaiting) throw new TooManyFetches(`${mostWaiting} already wait for ${key}`)
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const leave = () => {
        line.waiting.delete(resolve)
        // Not the host's doing: it was never asked.
        reject(new TooManyFetches(`no turn came in time for ${key}`, { cause: signal.reason }))
      }
      line.waiting.add(resolve)
      signal.addEventListener('abort', leave, { once: true })
      await promise.finally(() => signal.removeEventListener('abort', leave))
      return endOf(key, line)
    },
  }
}
