import { ModelFailed } from '../failure.ts'
import { createModelHttp, type ModelHttp, type ModelHttpOptions } from '../model-http.ts'
import { type ChatRequest, chatCompletion } from './chat-messages.ts'
import type { ChatModel } from './chat-model.ts'
import { readChunks } from './read-chunks.ts'

export type ChatUpstreamOptions = Omit<ModelHttpOptions, 'headers'> & {
  /** The upstream's name for the model. */
  readonly model: string
  readonly key: string | undefined
  /** The upstream's field name for the token limit of an answer. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens'
}

/** An upstream with a health check. */
export type ChatUpstream = ChatModel &
  Pick<ModelHttp, 'isAlive'> & {
    /** Why the upstream is not alive, for the operator; null if it is alive or the reason is unknown. */
    readonly explain?: () => string | null
  }

/** Client for any chat completions server: vLLM, SGLang, llama.cpp, Ollama, or a hosted one. */
export function createChatUpstream(options: ChatUpstreamOptions): ChatUpstream {
  const { model, key, maxTokensField, ...rest } = options
  const { firstTokenMs } = rest
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const http = createModelHttp({ ...rest, headers })

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
      if (!read.success) throw new ModelFailed("the upstream's answer is not a chat completion")
      return read.data
    },
    stream: (request, signal) =>
      http.askEvents('/chat/completions', toBody(request, true), signal, ({ events, close }) =>
        readChunks(events, { signal, firstTokenMs, close }),
      ),
  }
}

/** Chat templates of open models have no role `developer`; hosted models treat `system` as the same. */
function toKnownRole(message: ChatRequest['messages'][number]): ChatRequest['messages'][number] {
  return message.role === 'developer' ? { ...message, role: 'system' } : message
}
