import { leaving } from '@tollbook/flow/leaving'

type Flight<Answer> = {
  readonly promise: Promise<Answer>
  readonly controller: AbortController
  waiting: number
}

/**
 * Runs concurrent calls with the same key once and shares the result. The work is aborted when the last waiting caller
 * disconnects.
 * @example
 * const once = createSingleFlight<string>()
 * await once('key', signal, (shared) => load(shared))
 */
export function createSingleFlight<Answer>() {
  const flights = new Map<string, Flight<Answer>>()
  return async (
    key: string,
    signal: AbortSignal,
    work: (shared: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> => {
    signal.throwIfAborted()
    const flight = flights.get(key) ?? start(key, work)
    flight.waiting += 1
    try {
      return await leaving(flight.promise, signal)
    } finally {
      flight.waiting -= 1
      if (flight.waiting === 0) {
        if (flights.get(key) === flight) flights.delete(key)
        flight.controller.abort(signal.reason)
      }
    }
  }

  function start(key: string, work: (shared: AbortSignal) => Promise<Answer>): Flight<Answer> {
    const controller = new AbortController()
    const promise = work(controller.signal)
    const flight = { promise, controller, waiting: 0 }
    flights.set(key, flight)
    const end = () => {
      if (flights.get(key) === flight) flights.delete(key)
    }
    promise.then(end, end)
    return flight
  }
}
