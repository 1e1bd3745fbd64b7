import { startDeadline } from '../flow/deadline.ts'
import { AnswerTooLarge, InvalidAnswer, PermanentError, RetryableError, Unreachable } from './failure.ts'
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
      const asked = { ...request, signal, maxRedirects: 0, codings: 'identity' }
      const begun = await begin(url, asked, { ...way, headersMs })
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

async function* readPieces(
  { received, end }: Begun,
  { maxBytes, idleMs }: LiveRequest,
  explain: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  const pieces: AsyncIterator<Uint8Array> = received.body[Symbol.asyncIterator]()
  let sizeBytes = 0
  const giveUp = () => {
    const message = `no further bytes within ${idleMs} ms`
    received.body.destroy(new Unreachable(message, { phase: 'body', isLate: true }))
  }
  try {
    for (;;) {
      const timer = setTimeout(giveUp, idleMs)
      const next = await pieces.next().finally(() => clearTimeout(timer))
      if (next.done && received.body.readableEnded) return
      // A body that was closed before it was read ends without an error.
      if (next.done) throw new Error('the body was closed before its end')
      sizeBytes += next.value.byteLength
      if (sizeBytes > maxBytes) throw new AnswerTooLarge(`the answer has more than ${maxBytes} bytes`)
      yield next.value
    }
  } catch (error) {
    throw explain(error)
  } finally {
    end()
  }
}
