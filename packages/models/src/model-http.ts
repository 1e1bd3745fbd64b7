import { EventTooLong, readEventData } from '@tollbook/flow/event-stream'
import { Unreachable } from '@tollbook/flow/failure'
import { parseJson } from '@tollbook/flow/parse-json'
import { readRetryAfterMs } from '@tollbook/flow/retry-after'
import { traceHeaders } from '@tollbook/flow/trace'
import type { LiveAnswer, LiveFetch } from '@tollbook/safe-fetch/live-fetch'
import { ModelBusy, ModelFailed, ModelRefused } from './failure.ts'

export type ModelHttpOptions = {
  /** Without a trailing slash, such as `http://127.0.0.1:8000/v1`. */
  readonly baseUrl: string
  /** Headers of every request, such as the API key. */
  readonly headers: Readonly<Record<string, string>>
  readonly firstTokenMs: number
  readonly idleMs: number
  readonly totalMs: number
  readonly fetch: LiveFetch
}

/** HTTP client for an upstream of any dialect; errors are converted to model failures. */
export type ModelHttp = {
  /** Posts a body and returns the JSON of the answer; undefined if it is not valid JSON. */
  readonly askWhole: (path: string, body: object, signal: AbortSignal) => Promise<unknown>
  /** Posts a body and passes the events of the answer to `read`, whose errors are converted too. */
  readonly askEvents: <Read>(
    path: string,
    body: object,
    signal: AbortSignal,
    read: (events: ModelEvents) => Promise<Read>,
  ) => Promise<Read>
  /** Whether the upstream responds within the timeout, ms, default 3,000; uses no tokens. Never throws. */
  readonly isAlive: (timeoutMs?: number) => Promise<boolean>
}

export type ModelEvents = { readonly events: AsyncGenerator<string>; readonly close: () => void }

/** Large enough for an answer of a million tokens. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024
/** Maximum size of an error body, which is only searched for one phrase. */
const MAX_REFUSAL_BYTES = 65_536
const PROBE_MS = 3_000
/** How vLLM, llama.cpp, Ollama, SGLang and hosted services report that a prompt exceeds the context. */
const TOO_LONG =
  /context_length_exceeded|exceed_context_size|maximum context length|context (size|length|window)|longer than the model|prompt is too long/i
/** Too many requests (429), and the messages API's status for an overloaded upstream. */
const BUSY = [429, 529]

export function createModelHttp(options: ModelHttpOptions): ModelHttp {
  const { baseUrl, firstTokenMs, idleMs, totalMs, fetch } = options
  const headers = { 'content-type': 'application/json', ...options.headers }

  async function ask(
    path: string,
    body: object,
    isStream: boolean,
    signal: AbortSignal,
  ): Promise<LiveAnswer> {
    const answer = await fetch(baseUrl + path, {
      method: 'POST',
      headers: { ...headers, ...traceHeaders() },
      body: JSON.stringify(body),
      accept: isStream ? 'text/event-stream' : 'application/json',
      maxBytes: MAX_ANSWER_BYTES,
      timeoutMs: totalMs,
      // A whole answer starts only when it is finished.
      headersMs: isStream ? firstTokenMs : totalMs,
      idleMs,
      signal,
    })
    if (answer.status !== 200) throw await toFailure(answer)
    return answer
  }

  return {
    askWhole: (path, body, signal) =>
      withModelErrors(signal, async () =>
        parseJson(await readText(await ask(path, body, false, signal), MAX_ANSWER_BYTES)),
      ),
    askEvents: (path, body, signal, read) =>
      withModelErrors(signal, async () => {
        const { headers: provided, pieces, close } = await ask(path, body, true, signal)
        if (!/^text\/event-stream\b/i.test(provided['content-type'] ?? '')) {
          close()
          throw new ModelFailed("the upstream's answer is not an event stream")
        }
        return read({ events: readModelEvents(pieces), close })
      }),
    async isAlive(timeoutMs = PROBE_MS) {
      const signal = AbortSignal.timeout(timeoutMs)
      const limits = { maxBytes: 0, timeoutMs, headersMs: timeoutMs, idleMs: timeoutMs, signal }
      try {
        const answer = await fetch(`${baseUrl}/models`, { headers, ...limits })
        answer.close()
        // A server without a list of models is alive, too; an invalid key makes the calls themselves fail.
        return answer.status < 500 && answer.status !== 401 && answer.status !== 403
      } catch {
        return false
      }
    },
  }
}

/** Converts a status other than 200 to a failure; the upstream's own text is not repeated. */
async function toFailure(answer: LiveAnswer): Promise<Error> {
  const { status, headers } = answer
  if (BUSY.includes(status)) {
    answer.close()
    const retryAfterSeconds = Math.max(1, Math.ceil(readRetryAfterMs(headers) / 1000))
    return new ModelBusy('the upstream is rate limiting or overloaded', { retryAfterSeconds })
  }
  if (status !== 400 && status !== 413 && status !== 422) {
    answer.close()
    return new ModelFailed(`the upstream answered with status ${status}`)
  }
  const text = await readText(answer, MAX_REFUSAL_BYTES).catch(() => '')
  return new ModelRefused(`the upstream refused the request with status ${status}`, {
    isTooLong: status === 413 || TOO_LONG.test(text),
  })
}

/** Runs a request and converts its errors to model failures. */
async function withModelErrors<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ModelRefused || error instanceof ModelBusy || error instanceof ModelFailed)
      throw error
    const isLate = error instanceof Unreachable && error.isLate
    const message = isLate ? 'the upstream timed out' : 'the upstream is unreachable'
    throw new ModelFailed(message, { cause: error, isLate })
  }
}

/** An event that is too long is a failure of the model. */
async function* readModelEvents(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  try {
    yield* readEventData(pieces)
  } catch (error) {
    throw error instanceof EventTooLong ? new ModelFailed(error.message, { cause: error }) : error
  }
}

async function readText({ pieces }: LiveAnswer, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const piece of pieces) {
    chunks.push(piece)
    sizeBytes += piece.byteLength
    if (sizeBytes > maxBytes) break
  }
  return Buffer.concat(chunks).toString('utf8')
}
