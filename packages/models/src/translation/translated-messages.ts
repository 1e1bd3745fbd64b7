import type { ChatModel } from '../chat/chat-model.ts'
import { ModelRefused } from '../failure.ts'
import type { MessagesModel } from '../messages/messages-model.ts'
import type { MessagesRequest } from '../messages/request.ts'
import type { Unserved } from '../unserved.ts'
import { cutChunks, cutCompletion } from './cut-at-stops.ts'
import { findUntranslatable } from './find-untranslatable.ts'
import { MAX_CHAT_STOPS, toChatRequest } from './to-chat-request.ts'
import { type AnswerOptions, toMessage } from './to-message.ts'
import { toMessageEvents } from './to-message-events.ts'

/** Messages field names by chat field name; others are the same. */
const NAMES: Readonly<Record<string, string>> = {
  response_format: 'output_config.format',
  reasoning_effort: 'output_config.effort',
  stop: 'stop_sequences',
  parallel_tool_calls: 'tool_choice',
  user: 'metadata',
}

/** The messages API on a model of chat completions. */
export function createTranslatedMessages(model: ChatModel): MessagesModel {
  function findUnserved(request: MessagesRequest): readonly Unserved[] {
    const issues = findUntranslatable(request)
    if (issues.length > 0) return issues
    return (model.findUnserved?.(toChatRequest(request)) ?? []).map(({ parameter, detail }) => {
      const [name = ''] = parameter.split('.')
      return { parameter: NAMES[name] ?? name, detail }
    })
  }

  function translate(request: MessagesRequest) {
    const unserved = findUntranslatable(request)
    if (unserved.length === 0) return toChatRequest(request)
    throw new ModelRefused('chat completions cannot express the request', { isTooLong: false, unserved })
  }

  return {
    findUnserved,
    async complete(request, signal) {
      const answer = await model.complete(translate(request), signal)
      return toMessage(cutCompletion(answer, furtherStops(request)), optionsOf(request))
    },
    async stream(request, signal) {
      const chunks = await model.stream(translate(request), signal)
      return toMessageEvents(cutChunks(chunks, furtherStops(request)), optionsOf(request))
    },
  }
}

/** Stop sequences beyond the upstream's limit, which are applied here. */
function furtherStops({ stop_sequences }: MessagesRequest): readonly string[] {
  return stop_sequences?.slice(MAX_CHAT_STOPS) ?? []
}

function optionsOf({ stop_sequences, thinking }: MessagesRequest): AnswerOptions {
  const isThinking = thinking?.type === 'enabled' || thinking?.type === 'adaptive'
  return {
    stopSequences: stop_sequences ?? [],
    showsThinking: isThinking && thinking.display !== 'omitted',
  }
}
