import type { ServerResponse } from 'node:http'

/** Ends an answer whose headers are set. */
export type EndAnswer = (outgoing: ServerResponse, body: string | Uint8Array) => void

const MAX_WAIT_MS = 1

/**
 * Batches answers that become ready in the same turn of the event loop. A write to a sleeping process on the
 * same machine, such as a reverse proxy, has to wake it, which can cost more than a short handler; the writes
 * right after it find it awake.
 *
 * @param maxWaitMs Max time that an answer waits for others, unless one call blocks the loop for longer.
 */
export function createEndTogether(maxWaitMs = MAX_WAIT_MS): EndAnswer {
  /** In the order in which they became ready. */
  let waiting: { readonly outgoing: ServerResponse; readonly body: string | Uint8Array }[] = []
  let firstAtMs = 0

  function endAll(): void {
    const ready = waiting
    waiting = []
    for (const { outgoing, body } of ready) outgoing.end(body)
  }

  return (outgoing, body) => {
    const nowMs = performance.now()
    waiting.push({ outgoing, body })
    if (waiting.length === 1) {
      firstAtMs = nowMs
      setImmediate(endAll)
    } else if (nowMs - firstAtMs > maxWaitMs) endAll()
  }
}
