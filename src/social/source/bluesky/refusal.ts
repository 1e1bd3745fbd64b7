import * as z from 'zod'
import { ProblemError } from '../../../catalogue/problem.ts'
import { readRetryAfterMs } from '../../../fetching/retry-after.ts'
import type { JsonAnswer } from './json-answer.ts'

/** The body of an error (https://atproto.com/specs/xrpc#error-responses). */
const xrpcError = z.looseObject({ error: z.string(), message: z.string().optional() })

/** Names of errors that say that what was asked for is not there, or not for everyone. */
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
/** Most queries have no name for it, and say it in words: `Profile not found`, `List not found`, `Actor not found`. */
const SAYS_GONE = /\bnot found\b|^Could not (find|locate) |^Unable to resolve handle/i

/** What keeps an answer from being taken; `gone` when what was asked for is not there, null when it is good. */
export function refusalOf(
  { status, headers, json }: JsonAnswer,
  nowMs: number,
): ProblemError | 'gone' | null {
  if (status === 200) {
    const isObject = typeof json === 'object' && json !== null
    return isObject ? null : failed('Bluesky answered with something else than JSON.')
  }
  if (status === 429) return pausedFor(resetMs(headers, nowMs), 'Bluesky takes no more requests for now.')
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

/** Whether asking again at once may help. */
export function isTransient(refusal: ProblemError): boolean {
  return transient.has(refusal)
}

/** A failure as callers are told it: without the upstream's words and address. */
export function failed(detail: string, cause?: unknown, isTransient = true): ProblemError {
  const problem = new ProblemError({ code: 'upstream_failed', detail }, { cause })
  if (isTransient) transient.add(problem)
  return problem
}

export function late(cause: unknown): ProblemError {
  return new ProblemError({ code: 'upstream_timeout', detail: 'Bluesky took too long.' }, { cause })
}

export function pausedFor(leftMs: number, detail: string, cause?: unknown): ProblemError {
  const retryAfterSeconds = Math.max(1, Math.ceil(leftMs / 1000))
  return new ProblemError({ code: 'unavailable', detail, retryAfterSeconds }, { cause })
}
