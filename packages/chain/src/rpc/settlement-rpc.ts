import { Unreachable } from '@tollbook/flow/failure'
import { createExchange } from './exchange.ts'
import { type RpcRequest, toResult } from './json-rpc.ts'
import type { Rpc } from './rpc.ts'
import { BatchRefused, NodeBehind } from './rpc-failure.ts'

const DEFAULT_TIMEOUT_MS = 10_000
/** Public endpoints accept batches of 100 and more; the calls of one turn seldom exceed this. */
const MAX_CALLS_PER_REQUEST = 50
/** Sends of a call that the node refuses because it lags, or because the newest block just changed. */
const MAX_ATTEMPTS = 5

type Waiting = RpcRequest & {
  attempt: number
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/**
 * Creates a client for settlements: the calls of one turn of the event loop are sent in one request, and a
 * request that a node may have accepted is not sent again.
 * @throws TypeError for a URL that is not http or https; its text is not repeated.
 */
export function createSettlementRpc(options: { readonly url: string; readonly timeoutMs?: number }): Rpc {
  const exchange = createExchange({ timeoutMs: DEFAULT_TIMEOUT_MS, ...options })
  let queue: Waiting[] = []

  const enqueue = (call: Waiting) => {
    call.attempt++
    queue.push(call)
    if (queue.length === 1) setImmediate(flush)
  }
  const flush = () => {
    const calls = queue
    queue = []
    for (let at = 0; at < calls.length; at += MAX_CALLS_PER_REQUEST)
      void send(calls.slice(at, at + MAX_CALLS_PER_REQUEST))
  }
  const send = async (calls: readonly Waiting[]): Promise<void> => {
    try {
      const answers = await exchange(calls)
      for (const [at, call] of calls.entries()) {
        try {
          call.resolve(toResult(call, answers[at], calls.length))
        } catch (error) {
          if (error instanceof NodeBehind && call.attempt < MAX_ATTEMPTS) enqueue(call)
          else call.reject(toFinal(error))
        }
      }
    } catch (error) {
      for (const call of calls) call.reject(toFinal(error))
    }
  }

  const call: Rpc['call'] = (method, params, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const abort = () => reject(signal?.reason)
      signal?.addEventListener('abort', abort, { once: true })
      const settle = (then: (value: unknown) => void) => (value: unknown) => {
        signal?.removeEventListener('abort', abort)
        then(value)
      }
      enqueue({ method, params, attempt: 0, resolve: settle(resolve), reject: settle(reject) })
    })
  return {
    call,
    batch: (requests, signal) =>
      Promise.all(requests.map(({ method, params }) => call(method, params, signal))),
  }
}

/** Halves of a refused batch could succeed, but the node may have accepted a part of it. */
function toFinal(error: unknown): unknown {
  return error instanceof BatchRefused ? new Unreachable(error.message) : error
}
