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
 * Runs an endpoint's handler until the signal aborts, even if the handler ignores it. The pieces of a stream
 * are part of the same run.
 * @throws whatever the handler throws; the signal's reason.
 */
export function runHandler(run: HandlerRun): Promise<Answer> {
  const { endpoint, ports, read, caller, clientAddress, accept, ifMatch, signal, now } = run
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      signal.removeEventListener('abort', stop)
      reject(withoutSecrets(error, endpoint, read.input))
    }
    const stop = () => fail(signal.reason)
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    const call = {
      input: read.input,
      files: read.files,
      payer: caller.payer,
      callId: caller.callId,
      effects: toEffects(endpoint.effect, caller.effects),
      clientAddress: isForOthers(run) ? 'unknown' : clientAddress,
      ports,
      signal,
      now,
      accept,
      ifMatch,
    }
    startHandler(endpoint, call).then((answer) => {
      signal.removeEventListener('abort', stop)
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
