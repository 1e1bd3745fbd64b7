import * as z from 'zod'
import { ModelFailed } from '../failure.ts'
import { createModelHttp, type ModelHttp, type ModelHttpOptions } from '../model-http.ts'
import { message } from './answer.ts'
import type { MessagesModel } from './messages-model.ts'
import { readEvents } from './read-events.ts'

export type MessagesUpstreamOptions = Omit<ModelHttpOptions, 'headers'> & {
  /** The upstream's name for the model. */
  readonly model: string
  readonly key: string | undefined
}

/** An upstream with a health check. */
export type MessagesUpstream = MessagesModel & Pick<ModelHttp, 'isAlive'>

/** API version, required in every request (https://platform.claude.com/docs/en/api/versioning). */
const VERSION = '2023-06-01'

const counted = z.looseObject({ input_tokens: z.int().min(0) })

/** Client for any server of the messages API: a hosted one, vLLM, llama.cpp or Ollama. */
export function createMessagesUpstream(options: MessagesUpstreamOptions): MessagesUpstream {
  const { model, key, firstTokenMs, ...rest } = options
  const headers = headersOfMessages(key)
  const http = createModelHttp({ ...rest, firstTokenMs, headers })
  return {
    isAlive: http.isAlive,
    async complete(request, signal) {
      const answer = await http.askWhole('/messages', { ...request, model, stream: false }, signal)
      const read = message.safeParse(answer)
      if (!read.success) throw new ModelFailed("the upstream's answer is not a message")
      return read.data
    },
    stream: (request, signal) =>
      http.askEvents('/messages', { ...request, model, stream: true }, signal, ({ events, close }) =>
        readEvents(events, { signal, firstTokenMs, close }),
      ),
    async countTokens(request, signal) {
      const answer = await http.askWhole('/messages/count_tokens', { ...request, model }, signal)
      const read = counted.safeParse(answer)
      if (!read.success) throw new ModelFailed("the upstream's answer is not a token count")
      return read.data.input_tokens
    },
  }
}

export function headersOfMessages(key: string | undefined): Readonly<Record<string, string>> {
  return { 'anthropic-version': VERSION, ...(key !== undefined && { 'x-api-key': key }) }
}
