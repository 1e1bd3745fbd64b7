import { Unreachable } from '@tollbook/flow/failure'
import type { Hex } from '../hex.ts'
import { BatchRefused, type RpcError, toFailure } from './rpc-failure.ts'

export type RpcRequest = { readonly method: string; readonly params: readonly unknown[] }

/** A response object of JSON-RPC 2.0. */
export type RpcAnswer = { readonly result?: unknown; readonly error?: unknown }

/** A single request is not a batch of one, which some nodes bill or refuse differently. */
export function encodeRequests(requests: readonly RpcRequest[]): string {
  const bodies = requests.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
  return JSON.stringify(bodies.length === 1 ? bodies[0] : bodies)
}

/**
 * The answer to each request, in the order of the requests; undefined where one is missing.
 * @throws BatchRefused for an error without the id of a request; Unreachable for anything that is not a
 * response to one of them.
 */
export function matchAnswers(
  requests: readonly RpcRequest[],
  json: unknown,
): readonly (RpcAnswer | undefined)[] {
  const answers = Array.isArray(json) ? json : [json]
  const matched: (RpcAnswer | undefined)[] = new Array(requests.length).fill(undefined)
  for (const answer of answers) {
    const { id, error } = Object(answer) as RpcAnswer & { readonly id?: unknown }
    if (typeof id === 'number' && id in matched) matched[id] = answer
    else {
      const refusal = toError(error)
      if (!refusal) throw new Unreachable('the chain RPC did not return JSON-RPC responses to the requests')
      // Without an id if the node could not determine which request failed.
      if (requests.length > 1) throw new BatchRefused(refusal)
      matched[0] = answer
    }
  }
  return matched
}

/**
 * The result of one answer to a batch of `batchSize`.
 * @throws RpcRefusal, RateLimited, NodeBehind or BatchRefused for an error; Unreachable without a result.
 */
export function toResult({ method }: RpcRequest, answer: RpcAnswer | undefined, batchSize: number): unknown {
  const error = toError(answer?.error)
  if (error) throw toFailure(method, error, batchSize)
  if (answer?.result === undefined) throw new Unreachable(`the chain RPC did not answer ${method}`)
  return answer.result
}

/** The results of a batch, in the order of the requests. @throws as `toResult`, for the first error. */
export function toResults(
  requests: readonly RpcRequest[],
  answers: readonly (RpcAnswer | undefined)[],
): readonly unknown[] {
  return requests.map((request, at) => toResult(request, answers[at], requests.length))
}

function toError(error: unknown): RpcError | null {
  if (error === undefined || error === null) return null
  const { code, message, data } = Object(error) as { readonly [Key in keyof RpcError]?: unknown }
  return {
    code: typeof code === 'number' ? code : 0,
    message: typeof message === 'string' ? message : 'no message',
    ...(typeof data === 'string' && data.startsWith('0x') && { data: data as Hex }),
  }
}
