import { createAdaptiveLimit } from '@tollbook/flow/adaptive-limit'
import { createExchange } from './exchange.ts'
import { type RpcRequest, toResults } from './json-rpc.ts'
import { retryRead } from './retry-read.ts'
import type { Rpc } from './rpc.ts'
import { BatchRefused, Overloaded, RateLimited, RpcRefusal } from './rpc-failure.ts'

/** What public endpoints accept in one batch; a lower limit is detected. */
const MAX_REQUESTS_PER_BATCH = 100
/** After this many successful batches, twice the size is tried again. */
const BATCHES_BEFORE_GROWTH = 256
const MAX_CONCURRENT_BATCHES = 8

export type ReadOptions = {
  /** http or https; user and password become basic authentication. */
  readonly url: string
  /** For one attempt. Default 20,000. */
  readonly timeoutMs?: number
  /** Maximum attempts for an unreachable node. Default 4, with pauses of 0.25, 0.5 and 1 s. */
  readonly attempts?: number
}

/**
 * Creates a client that only reads, so it retries. Batches are sent concurrently, as many as the node accepts;
 * a refused batch is split.
 * @throws TypeError for an invalid URL.
 */
export function createReadRpc({ url, timeoutMs = 20_000, attempts = 4 }: ReadOptions): Rpc {
  const exchange = createExchange({ url, timeoutMs })
  const limit = createAdaptiveLimit(MAX_CONCURRENT_BATCHES)
  let batchSize = MAX_REQUESTS_PER_BATCH
  let passed = 0

  const ask = (requests: readonly RpcRequest[], signal?: AbortSignal): Promise<readonly unknown[]> =>
    retryRead(
      async () => {
        try {
          const results = await limit.run(async () => toResults(requests, await exchange(requests, signal)))
          limit.increase()
          if (++passed % BATCHES_BEFORE_GROWTH === 0)
            batchSize = Math.min(2 * batchSize, MAX_REQUESTS_PER_BATCH)
          return results
        } catch (error) {
          signal?.throwIfAborted()
          if (error instanceof BatchRefused) return splitBatch(requests, error, signal)
          if (error instanceof RateLimited) limit.decrease()
          throw error
        }
      },
      { attempts, isHopeless: (error) => isHopeless(error, requests), signal },
    )

  const splitBatch = async (
    requests: readonly RpcRequest[],
    refused: BatchRefused,
    signal?: AbortSignal,
  ): Promise<readonly unknown[]> => {
    const [first] = requests
    if (requests.length === 1) throw new RpcRefusal(first?.method ?? '', refused.error)
    const half = Math.ceil(requests.length / 2)
    batchSize = Math.min(batchSize, half)
    passed = 0
    const results = await ask(requests.slice(0, half), signal)
    return [...results, ...(await ask(requests.slice(half), signal))]
  }

  return {
    async call(method, params, signal) {
      const [result] = await ask([{ method, params }], signal)
      return result
    },
    async batch(requests, signal) {
      const failing = new AbortController()
      const either = signal ? AbortSignal.any([signal, failing.signal]) : failing.signal
      const parts: Promise<readonly unknown[]>[] = []
      const size = batchSize
      for (let at = 0; at < requests.length; at += size)
        parts.push(ask(requests.slice(at, at + size), either))
      try {
        return (await Promise.all(parts)).flat()
      } catch (error) {
        // Queued requests need not be sent any more.
        failing.abort(error)
        await Promise.allSettled(parts)
        throw error
      }
    },
  }
}

/** The same range of logs would time out again; half of it may not. */
function isHopeless(error: unknown, requests: readonly RpcRequest[]): boolean {
  return error instanceof Overloaded && requests.some(({ method }) => method === 'eth_getLogs')
}
