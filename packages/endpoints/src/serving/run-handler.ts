import { validateHeaderValue } from 'node:http'
import { DatabaseAway } from '@tollbook/flow/database-away'
import { isDiskFull } from '@tollbook/flow/disk-full'
import type { Answer } from '@tollbook/gate/contract/answer'
import { ProblemError } from '@tollbook/http/problem'
import type { Endpoint } from '../endpoint.ts'

type Call = Parameters<Endpoint['handle']>[0]

/** Runs a handler and its stream until the call aborts. @throws the handler's error; the signal's reason. */
export function runHandler(endpoint: Endpoint, call: Call): Promise<Answer> {
  const { signal } = call
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      signal.removeEventListener('abort', stop)
      reject(withoutSecrets(error, endpoint, call.input))
    }
    const stop = () => fail(signal.reason)
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    startHandler(endpoint, call).then((answer) => {
      signal.removeEventListener('abort', stop)
      resolve(answer)
    }, fail)
  })
}

/** It may also throw or return synchronously; invalid headers are found before payment. */
async function startHandler(endpoint: Endpoint, call: Call): Promise<Answer> {
  const answer = await endpoint.handle(call)
  const emptiness = answer.kind === 'json' ? endpoint.findEmptiness?.(answer.body) : null
  if (emptiness) throw new ProblemError({ code: 'cannot_be_served', ...emptiness })
  if (answer.kind !== 'stream') {
    for (const name in answer.headers) validateHeaderValue(name, answer.headers[name] ?? '')
  }
  return answer
}

/**
 * The error with the values of secret fields removed from its message, because errors are logged. A full disk stays
 * recognizable: nothing is sold then.
 */
function withoutSecrets(error: unknown, endpoint: Endpoint, input: unknown): unknown {
  if (error instanceof ProblemError || error instanceof DatabaseAway || !endpoint.secrets) return error
  const fields = input as Readonly<Record<string, unknown>>
  const written = endpoint.secrets.flatMap((name) => waysToWrite(fields[name]))
  const hide = (text: string) => written.reduce((shown, value) => shown.replaceAll(value, '[secret]'), text)
  // Any other thrown value may contain secrets anywhere.
  if (!(error instanceof Error))
    return new Error(`the handler threw a ${typeof error}, which is not an Error`)
  const hidden = new Error(hide(error.message))
  hidden.name = error.name
  hidden.stack = hide(error.stack ?? '')
  return isDiskFull(error) ? Object.assign(hidden, { code: 'ENOSPC' }) : hidden
}

/** The forms of a secret in a message, a URL, a form or a JSON text; longer ones first. */
function waysToWrite(value: unknown): readonly string[] {
  if (typeof value !== 'string' || value === '') return []
  const form = new URLSearchParams({ v: value }).toString().slice('v='.length)
  const ways = [value, encodeURIComponent(value), encodeURI(value), form, JSON.stringify(value).slice(1, -1)]
  return [...new Set(ways)].sort((one, other) => other.length - one.length)
}
