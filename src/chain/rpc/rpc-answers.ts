import { BatchRefused, type RpcError, toFailure } from './rpc-failure.ts'

export type RpcRequest = { readonly method: string; readonly params: readonly unknown[] }

/**
 * Extracts the results of a JSON-RPC response, in the order of the requests.
 * @throws RpcRefusal, RateLimited, NodeBehind or BatchRefused for error responses; Error for a response that
 * is not JSON-RPC or lacks a result.
 */
export function readAnswers(requests: readonly RpcRequest[], json: unknown): readonly unknown[] {
  const isSingle = requests.length === 1
  const answers = Array.isArray(json) ? json : [json]
  const results: unknown[] = new Array(requests.length)
  for (const answer of answers) {
    if (typeof answer !== 'object' || answer === null) throw new SyntaxError('a response is not an object')
    const error = 'error' in answer ? toError(answer.error) : null
    const id: unknown = 'id' in answer ? answer.id : null
    const request = typeof id === 'number' ? requests[id] : undefined
    if (error) {
      // Null if the node could not determine which request failed.
      if (!request && !isSingle) throw new BatchRefused(error)
      throw toFailure((request ?? requests[0])?.method ?? '', error, requests.length)
    }
    if (!request || typeof id !== 'number') throw new SyntaxError('a response to another request')
    if (!('result' in answer)) throw new SyntaxError('a response without a result')
    results[id] = answer.result
  }
  if (results.includes(undefined)) throw new SyntaxError('a response of the batch is missing')
  return results
}

function toError(error: unknown): RpcError | null {
  if (error === undefined || error === null) return null
  const { code, message } = Object(error) as { readonly code?: unknown; readonly message?: unknown }
  return {
    code: typeof code === 'number' ? code : 0,
    message: typeof message === 'string' ? message : 'no message',
  }
}
