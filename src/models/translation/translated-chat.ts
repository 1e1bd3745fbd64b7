import type { ChatRequest } from '../chat/chat-messages.ts'
import type { ChatModel } from '../chat-model.ts'
import { ModelRefused } from '../failure.ts'
import type { MessagesModel } from '../messages-model.ts'
import type { Unserved } from '../unserved.ts'
import { toChatChunks } from './to-chat-chunks.ts'
import { toCompletion } from './to-completion.ts'
import { toMessagesRequest } from './to-messages-request.ts'

/** Adapts a messages model to the chat interface. */
export function createTranslatedChat(model: MessagesModel): ChatModel {
  return {
    findUnserved,
    complete: async (request, signal) =>
      toCompletion(await model.complete(toMessagesRequest(request), signal)),
    stream: async (request, signal) => toChatChunks(await model.stream(toMessagesRequest(request), signal)),
  }
}

function findUnserved(request: ChatRequest): readonly Unserved[] {
  try {
    toMessagesRequest(request)
    return []
  } catch (error) {
    if (error instanceof ModelRefused) return error.unserved
    throw error
  }
}
