import { startDeadline } from '@tollbook/flow/deadline'
import {
  AnswerTooLarge,
  InvalidAnswer,
  PermanentError,
  RetryableError,
  Unreachable,
} from '@tollbook/flow/failure'
import type { FetchRequest } from './fetched-answer.ts'
import { createKeptConnections } from './kept-connections.ts'
import { type Begun, begin } from './one-request.ts'
import { type SafeFetchOptions, toWay } from './safe-fetch.ts'
import { parseTarget } from './target.ts'

export type LiveRequest = Pick<FetchRequest, 'method' | 'headers' | 'body' | 'accept' | 'maxBytes'> & {
  /** Timeout for everything, including the body. */
  readonly timeoutMs: number
  /** From the request to the headers of the answer. */
  readonly headersMs: number
  /** Maximum wait for the next bytes while the body is being read. */
  readonly idleMs: number
  readonly signal: AbortSignal
}

/** An answer whose body is read while it is written. */
export type LiveAnswer = {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * The body as it arrives; the connection ends if the reader stops.
   * @throws Unreachable if it stalls or breaks off, AnswerTooLarge, or the reason of the request's signal.
   */
  readonly pieces: AsyncIterable<Uint8Array>
  /** Ends the connection; for an answer whose body is not read. */
  readonly close: () => void
}

/**
 * Requests a URL and returns the answer as soon as its headers have arrived. Redirects are answers like any
 * other.
 * @throws BlockedTarget, Unreachable, InvalidAnswer or TooManyFetches; an HTTP status is never an error.
 */
export type LiveFetch = (url: string, request: LiveRequest) => Promise<LiveAnswer>

/**
 * Fetches answers that are read while they are written, such as event streams. Connections stay open for a
 * few seconds and are used again, because such servers are called often.
 */
export function createLiveFetch(options: SafeFetchOptions): LiveFetch {
  const way = { ...toWay(options), kept: createKeptConnections() }
  return async (text, request) => {
    const { headersMs, timeoutMs, signal: left } = request
    const { signal, isLate, clear } = startDeadline(timeoutMs, left)
    const explain = (error: unknown): unknown => {
      if (left.aborted) return left.reason
      if (error instanceof PermanentError || error instanceof RetryableError) return error
      const reason = isLate()
        ? `no full answer within ${timeoutMs} ms`
        : 'the connection broke before the end of the answer'
      return new Unreachable(reason, { cause: error, isLate: isLate() })
    }
    try {
      const url = parseTarget(text, way.rules)
      // An encoder buffers its input, which would delay an event that is already written.
      const outbound = { ...request, signal, maxRedirects: 0, codings: 'identity' }
      const begun = await begin(url, outbound, { ...way, headersMs })
      const { status, headers } = begun.received
      const end = () => {
        clear()
        begun.end()
      }
      signal.addEventListener('abort', end, { once: true })
      if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
        end()
        throw new InvalidAnswer('the answer has a content encoding that was not requested')
      }
      return { status, headers, pieces: readPieces({ ...begun, end }, request, explain), close: end }
    } catch (error) {
      const reason = explain(error)
      clear()
      throw reason
    }
  }
}

/** Bytes that wait for their reader before the connection is read no further. */
const MAX_WAITING_BYTES = 65_536

/**
 * Reads a body with one promise for all bytes that have arrived. The iterator of a `Readable` takes several
 * turns and a listener per piece, which is most of the work for the short pieces of an event stream.
 */
function readPieces(
  { received: { body }, end }: Begun,
  { maxBytes, idleMs }: LiveRequest,
  explain: (error: unknown) => unknown,
): AsyncIterable<Uint8Array> {
  type Result = IteratorResult<Uint8Array, undefined>
  let waiting: Buffer[] = []
  let waitingBytes = 0
  let sizeBytes = 0
  let isStarted = false
  /** How the body ended, until its reader has received it. */
  let over: { readonly error?: unknown } | undefined
  let isDone = false
  let reader: PromiseWithResolvers<Result> | undefined
  let timer: NodeJS.Timeout | undefined

  function take(piece: Buffer): void {
    if (over) return
    waiting.push(piece)
    waitingBytes += piece.byteLength
    sizeBytes += piece.byteLength
    if (sizeBytes > maxBytes) finish(new AnswerTooLarge(`the answer has more than ${maxBytes} bytes`))
    else if (reader) answer()
    else if (waitingBytes > MAX_WAITING_BYTES) body.pause()
  }

  function finish(error?: unknown): void {
    if (over) return
    over = error === undefined ? {} : { error }
    answer()
  }

  /** Passes on what has arrived, or how the body ended. */
  function answer(): void {
    if (!reader) return
    const { resolve, reject } = reader
    reader = undefined
    const [first] = waiting
    if (first && !(over?.error instanceof AnswerTooLarge)) {
      const value = waiting.length === 1 ? first : Buffer.concat(waiting)
      waiting = []
      waitingBytes = 0
      resolve({ done: false, value })
      return
    }
    close()
    if (over && 'error' in over) reject(explain(over.error))
    else resolve({ done: true, value: undefined })
  }

  function close(): void {
    isDone = true
    clearTimeout(timer)
    end()
  }

  function start(): void {
    isStarted = true
    timer = setTimeout(() => {
      const message = `no further bytes within ${idleMs} ms`
      if (reader) body.destroy(new Unreachable(message, { phase: 'body', isLate: true }))
    }, idleMs)
    // A body that was closed before it was read ends without an error.
    const closed = () => finish(body.errored ?? new Error('the body was closed before its end'))
    body.on('error', finish).on('close', closed)
    body.on('end', () => finish()).on('data', take)
    if (body.closed) closed()
  }

  const iterator: AsyncIterator<Uint8Array, undefined> = {
    next() {
      if (isDone) return Promise.resolve({ done: true, value: undefined })
      reader = Promise.withResolvers<Result>()
      const { promise } = reader
      if (!isStarted) start()
      else if (waiting.length === 0 && !over) timer?.refresh()
      if (waiting.length > 0 || over) answer()
      if (!isDone && body.isPaused()) body.resume()
      return promise
    },
    async return() {
      close()
      reader?.resolve({ done: true, value: undefined })
      return { done: true, value: undefined }
    },
  }
  return { [Symbol.asyncIterator]: () => iterator }
}
