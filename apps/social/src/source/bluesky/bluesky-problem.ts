import { readRetryAfterMs } from '@tollbook/flow/retry-after'
import { ProblemError } from '@tollbook/http/problem'
import type { Headers } from '@tollbook/safe-fetch/fetched-answer'
import * as z from 'zod'

export type JsonAnswer = {
  readonly status: number
  readonly headers: Headers
  /** The parsed body; undefined if it is not valid JSON, such as a truncated body. */
  readonly json: unknown
}

/** The body of an error (https://atproto.com/specs/xrpc#error-responses). */
const xrpcError = z.looseObject({ error: z.string(), message: z.string().optional() })

/** Names of errors that mean that the requested object does not exist or is not public. */
const GONE = new Set([
  'NotFound',
  'RecordNotFound',
  'RepoNotFound',
  'UnknownList',
  'HandleNotFound',
  'AccountTakedown',
  'AccountDeactivated',
  'AccountSuspended',
  'RepoTakendown',
  'RepoDeactivated',
])
/** Most queries have no error name for it, only a message: `Profile not found`, `List not found`, `Actor not found`. */
const SAYS_GONE = /\bnot found\b|^Could not (find|locate) |^Unable to resolve handle/i

/** Why an answer is not accepted; `gone` if the requested object does not exist, null if it is valid. */
export function problemOf(
  { status, headers, json }: JsonAnswer,
  nowMs: number,
): ProblemError | 'gone' | null {
  if (status === 200) {
    const isObject = typeof json === 'object' && json !== null
    return isObject ? null : failed("Bluesky's answer is not valid JSON.")
  }
  if (status === 429)
    return pausedFor(resetMs(headers, nowMs), "Bluesky's rate limit is reached; retry later.")
  const { error = '', message = '' } = xrpcError.safeParse(json).data ?? {}
  const isRefused = status === 400 || status === 404
  if (isRefused && (GONE.has(error) || (error === 'InvalidRequest' && SAYS_GONE.test(message)))) return 'gone'
  return failed(`Bluesky answered with status ${status}.`, undefined, status >= 500)
}

/** `ratelimit-reset` is in epoch seconds (https://docs.bsky.app/docs/advanced-guides/rate-limits). */
function resetMs(headers: JsonAnswer['headers'], nowMs: number): number {
  const reset = Number(headers['ratelimit-reset'])
  return Number.isFinite(reset) && reset > 0
    ? Math.max(0, reset * 1000 - nowMs)
    : readRetryAfterMs(headers, nowMs)
}

const transient = new WeakSet<ProblemError>()

/** Whether an immediate retry may succeed. */
export function isTransient(problem: ProblemError): boolean {
  return transient.has(problem)
}

/** A failure in the form that callers receive: without the upstream's error message and URL. */
export function failed(detail: string, cause?: unknown, isTransient = true): ProblemError {
  const problem = new ProblemError({ code: 'upstream_failed', detail }, { cause })
  if (isTransient) transient.add(problem)
  return problem
}

export function late(cause: unknown): ProblemError {
  return new ProblemError({ code: 'upstream_timeout', detail: 'Bluesky timed out.' }, { cause })
}

export function pausedFor(leftMs: number, detail: string, cause?: unknown): ProblemError {
  const retryAfterSeconds = Math.max(1, Math.ceil(leftMs / 1000))
  return new ProblemError({ code: 'unavailable', detail, retryAfterSeconds }, { cause })
}
