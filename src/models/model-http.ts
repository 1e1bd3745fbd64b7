import { Unreachable } from '../fetching/failure.ts'
import type { LiveAnswer, LiveFetch } from '../fetching/live-fetch.ts'
import { parseJson } from '../fetching/parse-json.ts'
import { readRetryAfterMs } from '../fetching/retry-after.ts'
import { readEventData } from './event-stream.ts'
import { ModelBusy, ModelFailed, ModelRefused } from './failure.ts'

export type ModelHttpOptions = {
  /** Without a slash at its end. */
  readonly baseUrl: string
  /** Of every request, such as that which holds the key. */
  readonly headers: Readonly<Record<string, string>>
  readonly firstTokenMs: number
  readonly idleMs: number
  readonly totalMs: number
  readonly fetch: LiveFetch
}

/** Speaks with an upstream over HTTP, whatever its dialect; failures are told as those of a model. */
export type ModelHttp = {
  /** Sends a body and gives the JSON of the answer; undefined where it is none. */
  readonly askWhole: (path: string, body: object, signal: AbortSignal) => Promise<unknown>
  /** Sends a body and gives the events of the answer to `read`, whose failures are told too. */
  readonly askEvents: <Read>(
    path: string,
    body: object,
    signal: AbortSignal,
    read: (events: ModelEvents) => Promise<Read>,
  ) => Promise<Read>
  /** Whether the upstream answers at all; costs no tokens. Never throws. */
  readonly isAlive: () => Promise<boolean>
}

export type ModelEvents = { readonly events: AsyncGenerator<string>; readonly close: () => void }

/** An answer of a million tokens stays below. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024
/** Of a refusal; only looked into for one word. */
const MAX_REFUSAL_BYTES = 65_536
const PROBE_MS = 3_000
/** How vLLM, llama.cpp, Ollama, SGLang and hosted services say that a prompt does not fit. */
const TOO_LONG =
  /context_length_exceeded|exceed_context_size|maximum context length|context (size|length|window)|longer than the model|prompt is too long/i
/** Too many requests, and the messages dialect's word for an upstream that has too many of all callers. */
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
      headers,
      body: JSON.stringify(body),
      accept: isStream ? 'text/event-stream' : 'application/json',
      maxBytes: MAX_ANSWER_BYTES,
      timeoutMs: totalMs,
      // A whole answer begins when it is finished.
      headersMs: isStream ? firstTokenMs : totalMs,
      idleMs,
      signal,
    })
    if (answer.status !== 200) throw await toFailure(answer)
    return answer
  }

  return {
    askWhole: (path, body, signal) =>
      told(signal, async () =>
        parseJson(await readText(await ask(path, body, false, signal), MAX_ANSWER_BYTES)),
      ),
    askEvents: (path, body, signal, read) =>
      told(signal, async () => {
        const { headers: given, pieces, close } = await ask(path, body, true, signal)
        if (!/^text\/event-stream\b/i.test(given['content-type'] ?? '')) {
          close()
          throw new ModelFailed('the upstream answered with something else than a stream of events')
        }
        return read({ events: readEventData(pieces), close })
      }),
    async isAlive() {
      const signal = AbortSignal.timeout(PROBE_MS)
      const limits = { maxBytes: 0, timeoutMs: PROBE_MS, headersMs: PROBE_MS, idleMs: PROBE_MS, signal }
      try {
        const answer = await fetch(`${baseUrl}/models`, { headers, ...limits })
        answer.close()
        // A server without a list of models is one, too; a refused key will refuse the calls as well.
        return answer.status < 500 && answer.status !== 401 && answer.status !== 403
      } catch {
        return false
      }
    },
  }
}

/** What a status other than 200 means; the upstream's own words are not repeated. */
async function toFailure(answer: LiveAnswer): Promise<Error> {
  const { status, headers } = answer
  if (BUSY.includes(status)) {
    answer.close()
    const retryAfterSeconds = Math.max(1, Math.ceil(readRetryAfterMs(headers) / 1000))
    return new ModelBusy('the upstream takes no more requests for now', { retryAfterSeconds })
  }
  if (status !== 400 && status !== 413 && status !== 422) {
    answer.close()
    return new ModelFailed(`the upstream answered ${status}`)
  }
  const text = await readText(answer, MAX_REFUSAL_BYTES).catch(() => '')
  return new ModelRefused(`the upstream refused the request with ${status}`, {
    isTooLong: status === 413 || TOO_LONG.test(text),
  })
}

/** Runs a request and says of its failures what they mean for a model. */
async function told<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ModelRefused || error instanceof ModelBusy || error instanceof ModelFailed)
      throw error
    const isLate = error instanceof Unreachable && error.isLate
    const message = isLate ? 'the upstream took too long' : 'the upstream cannot be reached'
    throw new ModelFailed(message, { cause: error, isLate })
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
