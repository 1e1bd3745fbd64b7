import { Unreachable } from '../../fetching/failure.ts'
import type { LiveAnswer, LiveFetch } from '../../fetching/live-fetch.ts'
import { readRetryAfterMs } from '../../fetching/retry-after.ts'
import type { ChatModel } from '../chat-model.ts'
import { readEventData } from '../event-stream.ts'
import { ModelBusy, ModelFailed, ModelRefused } from '../failure.ts'
import { type ChatRequest, chatCompletion } from './chat-messages.ts'
import { readChunks } from './read-chunks.ts'

export type ChatUpstreamOptions = {
  /** Where `/chat/completions` stands, such as `http://127.0.0.1:8000/v1`. */
  readonly baseUrl: string
  /** The upstream's name of the model. */
  readonly model: string
  readonly key: string | undefined
  /** What it calls the bound of an answer. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens'
  readonly firstTokenMs: number
  readonly idleMs: number
  readonly totalMs: number
  readonly fetch: LiveFetch
}

/** An upstream that may be asked whether it lives. */
export type ChatUpstream = ChatModel & {
  /** Whether it answers at all; costs no tokens. Never throws. */
  readonly isAlive: () => Promise<boolean>
  /** Why it does not live, in words for the operator; null where it does, or nothing is known. */
  readonly explain?: () => string | null
}

/** An answer of a million tokens stays below. */
const LARGEST_ANSWER_BYTES = 64 * 1024 * 1024
/** Of a refusal; only looked into for one word. */
const LARGEST_REFUSAL_BYTES = 65_536
const PROBE_MS = 3_000
/** How vLLM, llama.cpp, Ollama, SGLang and hosted services say that a prompt does not fit. */
const TOO_LONG =
  /context_length_exceeded|exceed_context_size|maximum context length|context (size|length|window)|longer than the model/i

/** Speaks with any server of chat completions: vLLM, SGLang, llama.cpp, Ollama, or a hosted one. */
export function createChatUpstream(options: ChatUpstreamOptions): ChatUpstream {
  const { baseUrl, model, key, maxTokensField, firstTokenMs, idleMs, totalMs, fetch } = options
  const headers = {
    'content-type': 'application/json',
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  }

  async function ask(request: ChatRequest, isStream: boolean, signal: AbortSignal): Promise<LiveAnswer> {
    const { max_tokens, messages, ...fields } = request
    const body = {
      ...fields,
      model,
      messages: messages.map(toKnownRole),
      ...(max_tokens !== undefined && { [maxTokensField]: max_tokens }),
      stream: isStream,
      ...(isStream && { stream_options: { include_usage: true } }),
    }
    const answer = await fetch(`${baseUrl}/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      accept: isStream ? 'text/event-stream' : 'application/json',
      maxBytes: LARGEST_ANSWER_BYTES,
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
    complete: (request, signal) =>
      told(signal, async () => {
        const text = await readText(await ask(request, false, signal), LARGEST_ANSWER_BYTES)
        const read = chatCompletion.safeParse(parseJson(text))
        if (!read.success)
          throw new ModelFailed('the upstream answered with something else than a completion')
        return read.data
      }),
    stream: (request, signal) =>
      told(signal, async () => {
        const { headers: given, pieces, close } = await ask(request, true, signal)
        if (!/^text\/event-stream\b/i.test(given['content-type'] ?? '')) {
          close()
          throw new ModelFailed('the upstream answered with something else than a stream of events')
        }
        return readChunks(readEventData(pieces), { signal, firstTokenMs, close })
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

/** Templates of open models know no role `developer`; hosted ones read `system` as it. */
function toKnownRole(message: ChatRequest['messages'][number]): ChatRequest['messages'][number] {
  return message.role === 'developer' ? { ...message, role: 'system' } : message
}

/** What a status other than 200 means; the upstream's own words are not repeated. */
async function toFailure(answer: LiveAnswer): Promise<Error> {
  const { status, headers } = answer
  if (status === 429) {
    answer.close()
    const retryAfterSeconds = Math.max(1, Math.ceil(readRetryAfterMs(headers) / 1000))
    return new ModelBusy('the upstream takes no more requests for now', { retryAfterSeconds })
  }
  if (status !== 400 && status !== 413 && status !== 422) {
    answer.close()
    return new ModelFailed(`the upstream answered ${status}`)
  }
  const text = await readText(answer, LARGEST_REFUSAL_BYTES).catch(() => '')
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
