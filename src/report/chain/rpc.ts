import { setTimeout as wait } from 'node:timers/promises'
import * as z from 'zod'
import { PermanentError, Unreachable } from '../../fetching/failure.ts'

/** What public endpoints take in one batch. */
const MOST_REQUESTS_PER_BATCH = 100
const FIRST_PAUSE_MS = 250

/** The node answered that it will not do this: unknown method, too large a range, missing block. */
export class RpcRefusal extends PermanentError {
  override readonly name = 'RpcRefusal'
  readonly code: number
  constructor(method: string, error: { readonly code: number; readonly message: string }) {
    super(`${method}: ${error.message.slice(0, 300)}`)
    this.code = error.code
  }
}

export type RpcRequest = { readonly method: string; readonly params: readonly unknown[] }

/** Reads from one node over JSON-RPC. Every call throws RpcRefusal, Unreachable, or the signal's reason. */
export type Rpc = {
  call(method: string, params: readonly unknown[], signal: AbortSignal): Promise<unknown>
  /** Many requests, answers in the same order. */
  batch(requests: readonly RpcRequest[], signal: AbortSignal): Promise<readonly unknown[]>
}

export type RpcOptions = {
  /** http or https; a user and password in it become basic authorization. */
  readonly url: string
  /** For one attempt. Default 20,000. */
  readonly timeoutMs?: number
  /** How often an unreachable node is asked in all. Default 4: pauses of 0.25, 0.5 and 1 s between. */
  readonly attempts?: number
}

const answerSchema = z.object({
  // Null when the node could not even tell which request it refuses.
  id: z.number().nullable(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
})

/**
 * Makes a client of one node. No error holds its URL, which may contain a key.
 * @throws TypeError for a text that is no URL.
 */
export function createRpc(options: RpcOptions): Rpc {
  const { url, headers } = splitCredentials(options.url)
  const timeoutMs = options.timeoutMs ?? 20_000
  const attempts = options.attempts ?? 4

  const post = async (requests: readonly RpcRequest[], signal: AbortSignal): Promise<readonly unknown[]> => {
    const body = requests.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify(body.length === 1 ? body[0] : body),
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    if (response.status === 429 || response.status >= 500) {
      await response.body?.cancel()
      throw new HttpFailure(`HTTP status ${response.status}`)
    }
    const json: unknown = await response.json()
    const answers = z.array(answerSchema).parse(Array.isArray(json) ? json : [json])
    const byId = new Map(answers.map((answer) => [answer.id, answer]))
    return requests.map(({ method }, id) => {
      const answer = byId.get(id) ?? byId.get(null)
      if (!answer) throw new Error('an answer of the batch is missing')
      if (answer.error) throw new RpcRefusal(method, answer.error)
      return answer.result
    })
  }

  const postPatiently = async (requests: readonly RpcRequest[], signal: AbortSignal) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await post(requests, signal)
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof RpcRefusal) throw error
        if (attempt >= attempts)
          throw new Unreachable(`the chain RPC gave no usable answer (${reasonOf(error)})`, { cause: error })
        await wait(FIRST_PAUSE_MS * 2 ** (attempt - 1), undefined, { signal })
      }
    }
  }

  return {
    async call(method, params, signal) {
      const [result] = await postPatiently([{ method, params }], signal)
      return result
    },
    async batch(requests, signal) {
      const results: unknown[] = []
      for (let at = 0; at < requests.length; at += MOST_REQUESTS_PER_BATCH)
        results.push(...(await postPatiently(requests.slice(at, at + MOST_REQUESTS_PER_BATCH), signal)))
      return results
    },
  }
}

/** The node is there, but overloaded or broken. */
class HttpFailure extends Error {
  override readonly name = 'HttpFailure'
}

/** Only the name of a foreign error, whose text may hold the URL. */
function reasonOf(error: unknown): string {
  if (error instanceof HttpFailure) return error.message
  return error instanceof Error ? error.name : 'unknown'
}

/** `fetch` refuses a URL that holds a user and a password. */
function splitCredentials(text: string): { url: string; headers: Readonly<Record<string, string>> } {
  const url = new URL(text)
  const { username, password } = url
  url.username = ''
  url.password = ''
  const headers = { 'content-type': 'application/json' }
  if (username === '' && password === '') return { url: url.href, headers }
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)
  return { url: url.href, headers: { ...headers, authorization: `Basic ${credentials.toString('base64')}` } }
}
