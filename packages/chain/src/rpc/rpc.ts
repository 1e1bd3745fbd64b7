import { createExchange, type NodeOptions } from './exchange.ts'
import { type RpcRequest, toResults } from './json-rpc.ts'

/**
 * Ethereum JSON-RPC. Every call throws RpcRefusal, RateLimited, NodeBehind, Unreachable, InvalidAnswer, or the
 * signal's reason.
 */
export type Rpc = {
  call(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown>
  /** Many requests, results in the same order. */
  batch(requests: readonly RpcRequest[], signal?: AbortSignal): Promise<readonly unknown[]>
}

/**
 * Creates a client that sends each call, and each batch as a whole, in one HTTP request, once.
 * @throws TypeError for an invalid URL.
 */
export function createDirectRpc(options: NodeOptions): Rpc {
  const exchange = createExchange(options)
  const batch: Rpc['batch'] = async (requests, signal) =>
    requests.length === 0 ? [] : toResults(requests, await exchange(requests, signal))
  return {
    async call(method, params, signal) {
      const [result] = await batch([{ method, params }], signal)
      return result
    },
    batch,
  }
}
