import type { LiveFetch } from '../../fetching/live-fetch.ts'
import type { ChatModel } from '../chat-model.ts'
import { ModelFailed } from '../failure.ts'
import { createModelHttp } from '../model-http.ts'
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

/** Speaks with any server of chat completions: vLLM, SGLang, llama.cpp, Ollama, or a hosted one. */
export function createChatUpstream(options: ChatUpstreamOptions): ChatUpstream {
  const { baseUrl, model, key, maxTokensField, firstTokenMs, idleMs, totalMs, fetch } = options
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const http = createModelHttp({ baseUrl, headers, firstTokenMs, idleMs, totalMs, fetch })

  function toBody(request: ChatRequest, isStream: boolean): object {
    const { max_tokens, messages, ...fields } = request
    return {
      ...fields,
      model,
      messages: messages.map(toKnownRole),
      ...(max_tokens !== undefined && { [maxTokensField]: max_tokens }),
      stream: isStream,
      ...(isStream && { stream_options: { include_usage: true } }),
    }
  }

  return {
    isAlive: http.isAlive,
    async complete(request, signal) {
      const answer = await http.askWhole('/chat/completions', toBody(request, false), signal)
      const read = chatCompletion.safeParse(answer)
      if (!read.success) throw new ModelFailed('the upstream answered with something else than a completion')
      return read.data
    },
    stream: (request, signal) =>
      http.askEvents('/chat/completions', toBody(request, true), signal, ({ events, close }) =>
        readChunks(events, { signal, firstTokenMs, close }),
      ),
  }
}

/** Templates of open models know no role `developer`; hosted ones read `system` as it. */
function toKnownRole(message: ChatRequest['messages'][number]): ChatRequest['messages'][number] {
  return message.role === 'developer' ? { ...message, role: 'system' } : message
}
