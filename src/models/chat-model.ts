import type { ChatChunk, ChatCompletion, ChatRequest } from './chat/chat-messages.ts'
import type { Unserved } from './unserved.ts'

/**
 * A language model that answers chats.
 * Both throw ModelRefused, ModelBusy or ModelFailed, or the signal's reason.
 */
export interface ChatModel {
  /** The answer as a whole. */
  complete(request: ChatRequest, signal: AbortSignal): Promise<ChatCompletion>
  /**
   * The answer while it is written. Given once there is content, so that until then another model can be asked;
   * chunks that came before it stand in front. Ends with the usage, where the model tells it; throws where the
   * stream breaks off before a choice was finished. Whoever stops reading ends the work of the model.
   */
  stream(request: ChatRequest, signal: AbortSignal): Promise<AsyncIterable<ChatChunk>>
  /** What of a request it can never serve; absent where only the upstream knows. */
  findUnserved?(request: ChatRequest): readonly Unserved[]
}
