import type { ServedRequest } from '../request/served-request.ts'

/**
 * Resolves with true once the answer of a request was passed to the system to its end, or with false if the
 * connection closed before. A program that calls `fetch` has no connection: true.
 */
export function whenWritten({ outgoing }: Pick<ServedRequest, 'outgoing'>): Promise<boolean> {
  if (!outgoing) return Promise.resolve(true)
  if (outgoing.closed || outgoing.destroyed) return Promise.resolve(outgoing.writableFinished)
  return new Promise((resolve) => {
    outgoing.once('finish', () => resolve(true)).once('close', () => resolve(false))
  })
}
