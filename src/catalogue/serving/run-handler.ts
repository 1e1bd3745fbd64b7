import { validateHeaderValue } from 'node:http'
import { ProblemError } from '../../http/problem.ts'
import type { Answer } from '../answer.ts'
import { toEffects } from '../effect/effects.ts'
import type { Endpoint } from '../endpoint.ts'
import type { Caller, ReadRequest } from '../exchange.ts'
import { scopeOf } from '../scope.ts'

export type HandlerRun = {
  readonly endpoint: Endpoint
  readonly ports: unknown
  readonly read: ReadRequest
  readonly caller: Caller
  readonly clientAddress: string
  readonly accept: string
  readonly ifMatch: string
  readonly signal: AbortSignal
  readonly now: Date
}

/**
 * Runs an endpoint's handler for at most its time limit. A stream's pieces share that limit through the
 * handler's signal, because they are part of the same run.
 * @throws ProblemError `upstream_timeout` after the limit; whatever the handler throws; the signal's reason.
 */
export function runHandler(run: HandlerRun): Promise<Answer> {
  const { endpoint, ports, read, caller, clientAddress, accept, ifMatch, now } = run
  // A single controller that follows the caller costs a third of `AbortSignal.any`.
  const limit = new AbortController()
  return new Promise((resolve, reject) => {
    // A handler that ignores its signal must not hold the caller either.
    const stop = (reason: unknown) => {
      limit.abort(reason)
      fail(reason)
    }
    const timer = setTimeout(() => stop(takenTooLong(endpoint)), endpoint.limits.timeoutMs)
    timer.unref()
    const leave = () => stop(run.signal.reason)
    const release = () => {
      clearTimeout(timer)
      run.signal.removeEventListener('abort', leave)
    }
    const fail = (error: unknown) => {
      release()
      reject(withoutSecrets(error, endpoint, read.input))
    }
    if (run.signal.aborted) return leave()
    run.signal.addEventListener('abort', leave, { once: true })
    const call = {
      input: read.input,
      files: read.files,
      payer: caller.payer,
      callId: caller.callId,
      effects: toEffects(endpoint.effect, caller.effects),
      clientAddress: isForOthers(run) ? 'unknown' : clientAddress,
      ports,
      signal: limit.signal,
      now,
      accept,
      ifMatch,
    }
    startHandler(endpoint, call).then((answer) => {
      if (answer.kind !== 'stream') release()
      resolve(answer)
    }, fail)
  })
}

/** Whether the answer is stored and readable by other callers, who must not learn who the caller was. */
function isForOthers({ endpoint, read }: HandlerRun): boolean {
  return endpoint.pricing.kind !== 'free' && scopeOf(endpoint, read.input) === 'public'
}

/**
 * A handler may also throw or return synchronously. Invalid headers, such as a name in Cyrillic, are found
 * here, before the answer is paid.
 */
async function startHandler(endpoint: Endpoint, call: Call): Promise<Answer> {
  const answer = await endpoint.handle(call)
  if (answer.kind !== 'stream') {
    for (const name in answer.headers) validateHeaderValue(name, answer.headers[name] ?? '')
  }
  return answer
}

type Call = Parameters<Endpoint['handle']>[0]

function takenTooLong(endpoint: Endpoint): ProblemError {
  const seconds = endpoint.limits.timeoutMs / 1000
  return new ProblemError({
    code: 'upstream_timeout',
    detail: `The call took longer than ${seconds} seconds and was aborted.`,
  })
}

/** The error with the values of secret fields removed from its message, because errors are logged. */
function withoutSecrets(error: unknown, endpoint: Endpoint, input: unknown): unknown {
  if (error instanceof ProblemError || !endpoint.secrets) return error
  const fields = input as Readonly<Record<string, unknown>>
  const written = endpoint.secrets.flatMap((name) => waysToWrite(fields[name]))
  const hide = (text: string) => written.reduce((shown, value) => shown.replaceAll(value, '[secret]'), text)
  // Any other thrown value may contain secrets anywhere.
  if (!(error instanceof Error))
    return new Error(`the handler threw a ${typeof error}, which is not an Error`)
  const hidden = new Error(hide(error.message))
  hidden.name = error.name
  hidden.stack = hide(error.stack ?? '')
  return hidden
}

/** The forms of a secret in a message, a URL, a form or a JSON text; longer ones first. */
function waysToWrite(value: unknown): readonly string[] {
  if (typeof value !== 'string' || value === '') return []
  const form = new URLSearchParams({ v: value }).toString().slice('v='.length)
  const ways = [value, encodeURIComponent(value), encodeURI(value), form, JSON.stringify(value).slice(1, -1)]
  return [...new Set(ways)].sort((one, other) => other.length - one.length)
}
