import type { Unserved } from '../unserved.ts'
import type { ChatChunk, ChatCompletion, ChatRequest } from './chat-messages.ts'

/**
 * A language model that answers chats. All methods throw ModelRefused, ModelBusy, ModelFailed or the signal's
 * reason.
 */
export interface ChatModel {
  /** Returns the whole answer. */
  complete(request: ChatRequest, signal: AbortSignal): Promise<ChatCompletion>
  /**
   * Streams the answer. Resolves at the first content, so that another model can be tried until then; earlier
   * chunks are included. The last chunk holds the usage, if the model reports it. Throws if the stream breaks
   * off before a choice is finished. If the consumer stops reading, the model stops generating.
   */
  stream(request: ChatRequest, signal: AbortSignal): Promise<AsyncIterable<ChatChunk>>
  /** Finds the parts of a request that the model can never serve; absent if only the upstream can tell. */
  findUnserved?(request: ChatRequest): readonly Unserved[]
}
