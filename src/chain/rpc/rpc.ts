import { setTimeout as wait } from 'node:timers/promises'
import { Unreachable } from '../../fetching/failure.ts'
import { parseRetryAfterMs } from '../../fetching/retry-after.ts'
import { splitCredentials } from '../../fetching/split-credentials.ts'
import { createAdaptiveLimit } from '../../flow/adaptive-limit.ts'
import { type RpcRequest, readAnswers } from './rpc-answers.ts'
import { BatchRefused, Overloaded, RateLimited, RpcRefusal } from './rpc-failure.ts'

/** What public endpoints accept in one batch; a lower limit is detected. */
const MAX_REQUESTS_PER_BATCH = 100
/** After this many successful batches, twice the size is tried again. */
const BATCHES_BEFORE_GROWTH = 256
const MAX_CONCURRENT_BATCHES = 8
const FIRST_PAUSE_MS = 250
/** For longer pauses the node is skipped instead, see nodes.ts. */
const MAX_PAUSE_MS = 10_000

/**
 * Reads from a chain over JSON-RPC, with retries. Every call throws RpcRefusal, RateLimited, NodeBehind,
 * Unreachable, InvalidAnswer, or the signal's reason.
 */
export type Rpc = {
  call(method: string, params: readonly unknown[], signal: AbortSignal): Promise<unknown>
  /** Many requests, results in the same order. */
  batch(requests: readonly RpcRequest[], signal: AbortSignal): Promise<readonly unknown[]>
}

export type RpcOptions = {
  /** http or https; user and password become basic authentication. */
  readonly url: string
  /** For one attempt. Default 20,000. */
  readonly timeoutMs?: number
  /** Maximum attempts for an unreachable node. Default 4, with pauses of 0.25, 0.5 and 1 s. */
  readonly attempts?: number
}

/**
 * Creates a client of one node. Batches are sent concurrently, as many as the node accepts; a refused batch
 * is split. Errors never contain the URL, which may contain a key.
 * @throws TypeError for an invalid URL.
 */
export function createRpc(options: RpcOptions): Rpc {
  const { url, authorization } = splitCredentials(new URL(options.url))
  const headers = { 'content-type': 'application/json', ...(authorization !== null && { authorization }) }
  const timeoutMs = options.timeoutMs ?? 20_000
  const attempts = options.attempts ?? 4
  const limit = createAdaptiveLimit(MAX_CONCURRENT_BATCHES)
  let batchSize = MAX_REQUESTS_PER_BATCH
  let passed = 0

  const post = async (requests: readonly RpcRequest[], signal: AbortSignal): Promise<readonly unknown[]> => {
    const body = requests.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify(body.length === 1 ? body[0] : body),
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    const { status } = response
    if (status === 429 || status === 413 || status >= 500) {
      await response.body?.cancel()
      if (status === 429)
        throw new RateLimited(parseRetryAfterMs(response.headers.get('retry-after'), Date.now()))
      if (status === 413 && requests.length > 1)
        throw new BatchRefused({ code: status, message: 'too large (HTTP status 413)' })
      throw new HttpFailure(`HTTP status ${status}`)
    }
    // Providers also refuse with status 400 and a JSON-RPC error.
    return readAnswers(requests, JSON.parse(await response.text()))
  }

  const ask = async (requests: readonly RpcRequest[], signal: AbortSignal): Promise<readonly unknown[]> => {
    for (let attempt = 1; ; attempt++) {
      try {
        const results = await limit.run(() => post(requests, signal))
        limit.increase()
        if (++passed % BATCHES_BEFORE_GROWTH === 0)
          batchSize = Math.min(2 * batchSize, MAX_REQUESTS_PER_BATCH)
        return results
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof BatchRefused) return splitBatch(requests, error, signal)
        const pauseMs = toPause(error, attempt)
        if (error instanceof RateLimited) limit.decrease()
        if (pauseMs === null || attempt >= attempts || isHopeless(error, requests)) throw toUnreachable(error)
        await wait(pauseMs, undefined, { signal })
      }
    }
  }

  const splitBatch = async (requests: readonly RpcRequest[], refused: BatchRefused, signal: AbortSignal) => {
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
      const either = AbortSignal.any([signal, failing.signal])
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

/** The node is reachable, but overloaded or broken. */
class HttpFailure extends Error {
  override readonly name = 'HttpFailure'
}

/** @returns null if a retry would not help. */
function toPause(error: unknown, attempt: number): number | null {
  const standard = FIRST_PAUSE_MS * 2 ** (attempt - 1)
  if (error instanceof RateLimited) {
    const asked = error.retryAfterMs ?? standard
    return asked > MAX_PAUSE_MS ? null : asked
  }
  return error instanceof Error && isOfRpc(error) ? null : standard
}

function isOfRpc(error: Error): boolean {
  return ['RpcRefusal', 'NodeBehind', 'InvalidAnswer'].includes(error.name)
}

/** The same range of logs would time out again; half of it may not. */
function isHopeless(error: unknown, requests: readonly RpcRequest[]): boolean {
  return isOverload(error) && requests.some(({ method }) => method === 'eth_getLogs')
}

function isOverload(error: unknown): boolean {
  return error instanceof HttpFailure || (error instanceof Error && error.name === 'TimeoutError')
}

function toUnreachable(error: unknown): unknown {
  if (error instanceof RateLimited || (error instanceof Error && isOfRpc(error))) return error
  const message = `the chain RPC returned no usable response (${reasonOf(error)})`
  return isOverload(error) ? new Overloaded(message) : new Unreachable(message)
}

/** Only the code or name of a foreign error: its text may contain the URL. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if (error instanceof HttpFailure) return error.message
  if (error.name === 'TimeoutError') return 'no response in time'
  const code = error.cause instanceof Error && 'code' in error.cause ? error.cause.code : undefined
  return typeof code === 'string' ? code : error.name
}
