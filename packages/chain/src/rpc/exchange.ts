import { startDeadline } from '@tollbook/flow/deadline'
import { MEANINGS } from '@tollbook/flow/explain-failure'
import { AnswerTooLarge, InvalidAnswer, Unreachable } from '@tollbook/flow/failure'
import { parseRetryAfterMs } from '@tollbook/flow/retry-after'
import { createHttpPost } from './http-post.ts'
import { encodeRequests, matchAnswers, type RpcAnswer, type RpcRequest } from './json-rpc.ts'
import { BatchRefused, Overloaded, RateLimited } from './rpc-failure.ts'

export type NodeOptions = {
  /** http or https; user and password become basic authentication. */
  readonly url: string
  /** For one HTTP request; absent: no limit. */
  readonly timeoutMs?: number
  /** Maximum size of an answer. Default 64 MiB; 10,000 logs have about 5 MB. */
  readonly maxAnswerBytes?: number
  /** Bearer token, if the node needs one. */
  readonly token?: string | undefined
  /** What errors call it; default `chain RPC`. */
  readonly name?: string
}

/** Posts JSON once, and returns what `parse` makes of the answer. @throws as `Exchange`. */
export type Posting = <T>(
  body: string,
  parse: (text: string, status: number) => T,
  signal?: AbortSignal,
  batchSize?: number,
) => Promise<T>

/**
 * Sends requests to a node in one HTTP request, once.
 * @returns the answer to each, in their order; undefined where the node left one out.
 * @throws RateLimited, BatchRefused, Unreachable, Overloaded, or the signal's reason. No message contains the
 * URL, which may contain a key.
 */
export type Exchange = (
  requests: readonly RpcRequest[],
  signal?: AbortSignal,
) => Promise<readonly (RpcAnswer | undefined)[]>

const MAX_ANSWER_BYTES = 64 * 2 ** 20

/** @throws TypeError for an invalid URL. */
export function createExchange(options: NodeOptions): Exchange {
  const post = createPosting(options)
  return (requests, signal) =>
    // Providers also refuse with status 400 and a JSON-RPC error.
    post(
      encodeRequests(requests),
      (text, status) => matchAnswers(requests, parseAnswer(text, status)),
      signal,
      requests.length,
    )
}

/** @throws TypeError for an invalid URL. */
export function createPosting(options: NodeOptions): Posting {
  const { url, timeoutMs, maxAnswerBytes = MAX_ANSWER_BYTES, token, name = 'chain RPC' } = options
  const post = createHttpPost(url, maxAnswerBytes, token)
  return async (body, parse, signal, batchSize = 1) => {
    const deadline = timeoutMs === undefined ? null : startDeadline(timeoutMs, signal)
    try {
      const { status, retryAfter, text } = await post(body, deadline?.signal ?? signal)
      if (status === 429) throw new RateLimited(parseRetryAfterMs(retryAfter, Date.now()))
      if (status === 413 || status >= 500) throw new HttpFailure(status)
      return parse(text, status)
    } catch (error) {
      signal?.throwIfAborted()
      throw toUnreachable(error, name, batchSize)
    } finally {
      deadline?.clear()
    }
  }
}

/** @throws HttpFailure for a refusal that is not JSON, such as that of a proxy or of a wrong key. */
function parseAnswer(text: string, status: number): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (status === 200) throw error
    throw new HttpFailure(status)
  }
}

/** The node is reachable, but overloaded or broken, or it refuses. */
class HttpFailure extends Error {
  readonly status: number
  constructor(status: number) {
    super(`HTTP status ${status}`)
    this.status = status
  }
}

function toUnreachable(error: unknown, name: string, batchSize: number): unknown {
  const isClassified =
    error instanceof RateLimited ||
    error instanceof BatchRefused ||
    error instanceof Unreachable ||
    error instanceof InvalidAnswer
  if (isClassified) return error
  const reason = reasonOf(error)
  const status = error instanceof HttpFailure ? error.status : null
  const isTooLarge = error instanceof AnswerTooLarge || status === 413
  if (isTooLarge && batchSize > 1) return new BatchRefused({ code: 413, message: `too large (${reason})` })
  const message = `the ${name} returned no usable response (${reason})`
  const isOverload = isTooLarge || (status ?? 0) >= 500 || isTimeout(error)
  return isOverload ? new Overloaded(message) : new Unreachable(message)
}

function isTimeout(error: unknown): error is Error {
  return error instanceof Error && error.name === 'TimeoutError'
}

const REFUSED = 'the user, password or key is wrong'

/** Only the code or name of a foreign error: its text may contain the URL. */
function reasonOf(error: unknown): string {
  if (error instanceof HttpFailure)
    return [401, 403].includes(error.status) ? `${error.message}: ${REFUSED}` : error.message
  if (error instanceof AnswerTooLarge) return error.message
  if (isTimeout(error)) return 'no response in time'
  if (!(error instanceof Error)) return 'unknown'
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  const meaning = code === 'SyntaxError' ? 'the answer is not JSON' : MEANINGS[code]
  return meaning === undefined ? code : `${code}: ${meaning}`
}
