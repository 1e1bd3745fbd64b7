import { get } from 'node:http'
import { startTicker, type Ticker } from '@tollbook/flow/ticker'
import type { Place } from '../places/addresses.ts'

const EVERY_MS = 10_000
/** A loaded machine answers `/healthz` within a second; a blocked process never does. */
const MAX_ANSWER_MS = 30_000
/** In a row: after a suspended machine wakes up, one may fail. */
const MAX_MISSES = 3

export type WatchOptions = {
  readonly places: readonly Pick<Place, 'host' | 'port'>[]
  /** Called with a port that has not answered three times in a row, perhaps repeatedly. */
  readonly onSilent: (port: number) => void
  /** Shorter in tests. */
  readonly everyMs?: number
  readonly maxAnswerMs?: number
}

/** Asks every port for its health, over HTTP, since the kernel accepts connections for a blocked process. */
export function watchPorts(options: WatchOptions): Ticker {
  const { places, onSilent, everyMs = EVERY_MS, maxAnswerMs = MAX_ANSWER_MS } = options
  const misses = new Map<number, number>()
  const ask = async ({ host, port }: Pick<Place, 'host' | 'port'>, end: AbortSignal) => {
    const hasAnswered = await answers(
      { host, port },
      AbortSignal.any([end, AbortSignal.timeout(maxAnswerMs)]),
    )
    if (end.aborted) return
    const inARow = hasAnswered ? 0 : (misses.get(port) ?? 0) + 1
    misses.set(port, inARow)
    if (inARow >= MAX_MISSES) onSilent(port)
  }
  return startTicker({
    everyMs,
    work: (end) => Promise.all(places.map((place) => ask(place, end))),
    onError: () => {},
  })
}

/** Whether it answers at all, with whatever status. */
function answers({ host, port }: Pick<Place, 'host' | 'port'>, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    // A connection of its own each time: one that is open says nothing about new ones.
    const request = get({ host, port, path: '/healthz', agent: false, signal }, (answer) => {
      answer.resume()
      resolve(true)
    })
    request.on('error', () => resolve(false))
  })
}
