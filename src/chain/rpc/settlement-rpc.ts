import { PermanentError, Unreachable } from '../../fetching/failure.ts'
import { splitCredentials } from '../../fetching/split-credentials.ts'
import { createHttpPost } from './http-post.ts'

const DEFAULT_TIMEOUT_MS = 10_000
/** Public endpoints accept batches of 100 and more; the calls of one turn seldom exceed this. */
const MAX_CALLS_PER_REQUEST = 50

/**
 * Transient errors: the newest block changed while it was read (anvil with pruned history), or the node
 * behind the URL lags (geth, erigon, Nethermind).
 */
const PASSING = /BlockOutOfRange|header not found|block not found|unknown block|missing trie node/i
const MAX_ATTEMPTS = 5

/** The node answered with an error: a revert, a rejected transaction, an unknown method. */
export class RpcRefusal extends PermanentError {
  override readonly name = 'RpcRefusal'
  readonly code: number
  /** What a reverting contract returned, `0x` if nothing. */
  readonly data: `0x${string}`
  constructor(method: string, error: { code: number; message: string; data: `0x${string}` }) {
    super(`${method}: ${error.message.slice(0, 300)}`)
    this.code = error.code
    this.data = error.data
  }
}

/** Ethereum JSON-RPC for settlements: a request that a node may have accepted is not sent again. */
export type Rpc = {
  /**
   * @throws RpcRefusal if the node returns an error; Unreachable if it returns no usable answer in time; the
   * signal's reason if aborted. No message contains the URL.
   */
  call<Result>(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<Result>
}

type Waiting = {
  readonly method: string
  readonly params: readonly unknown[]
  attempt: number
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/**
 * Creates a client that sends the calls of one turn of the event loop in one request.
 * @throws TypeError for a URL that is not http or https; its text is not repeated.
 */
export function createRpc(options: { readonly url: string; readonly timeoutMs?: number }): Rpc {
  const { url, authorization } = splitCredentials(parseUrl(options.url))
  const headers = { 'content-type': 'application/json', ...(authorization !== null && { authorization }) }
  const post = createHttpPost(url, headers)
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS
  let queue: Waiting[] = []

  const enqueue = (call: Waiting) => {
    call.attempt++
    queue.push(call)
    if (queue.length === 1) setImmediate(flush)
  }
  const flush = () => {
    const calls = queue
    queue = []
    for (let at = 0; at < calls.length; at += MAX_CALLS_PER_REQUEST)
      void exchange(calls.slice(at, at + MAX_CALLS_PER_REQUEST))
  }
  const exchange = async (calls: readonly Waiting[]): Promise<void> => {
    try {
      const bodies = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
      const body = JSON.stringify(bodies.length === 1 ? bodies[0] : bodies)
      const answers = toAnswers(JSON.parse(await post(body, timeoutMs)))
      for (const [id, call] of calls.entries()) {
        const given = answers.get(id)
        if (isTransient(given) && call.attempt < MAX_ATTEMPTS) enqueue(call)
        else answer(call, given)
      }
    } catch (error) {
      const failure = new Unreachable(`the chain RPC returned no usable answer (${codeOf(error)})`)
      for (const call of calls) call.reject(failure)
    }
  }

  return {
    call(method, params, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const abort = () => reject(signal?.reason)
        signal?.addEventListener('abort', abort, { once: true })
        const settle =
          <Value>(then: (value: Value) => void) =>
          (value: Value) => {
            signal?.removeEventListener('abort', abort)
            then(value)
          }
        // The caller knows the type that the method returns (execution-apis).
        enqueue({
          method,
          params,
          attempt: 0,
          resolve: settle(resolve as (result: unknown) => void),
          reject: settle(reject),
        })
      })
    },
  }
}

type JsonRpcAnswer = {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown }
}

function toAnswers(body: unknown): Map<unknown, JsonRpcAnswer> {
  const list = (Array.isArray(body) ? body : [body]) as (JsonRpcAnswer | null)[]
  return new Map(list.map((item) => [item?.id, item ?? {}]))
}

function isTransient(given: JsonRpcAnswer | undefined): boolean {
  const message = given?.error?.message
  return typeof message === 'string' && PASSING.test(message)
}

function answer(call: Waiting, given: JsonRpcAnswer | undefined): void {
  if (given?.error) {
    const { code, message, data } = given.error
    call.reject(
      new RpcRefusal(call.method, {
        code: typeof code === 'number' ? code : 0,
        message: typeof message === 'string' ? message : 'no message',
        data: typeof data === 'string' && data.startsWith('0x') ? (data as `0x${string}`) : '0x',
      }),
    )
  } else if (given?.result === undefined)
    call.reject(new Unreachable(`the chain RPC did not answer ${call.method}`))
  else call.resolve(given.result)
}

function parseUrl(text: string): URL {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new TypeError('the RPC URL must begin with http:// or https://')
  return new URL(text)
}

/** Identifies the failure without its message, which may contain the URL. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
