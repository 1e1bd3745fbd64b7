import type { Message, MessageEvent } from './messages/answer.ts'
import type { MessagesRequest } from './messages/request.ts'
import type { Unserved } from './unserved.ts'

/**
 * A language model that answers in the dialect of messages.
 * All throw ModelRefused, ModelBusy or ModelFailed, or the signal's reason.
 */
export interface MessagesModel {
  /** The answer as a whole. */
  complete(request: MessagesRequest, signal: AbortSignal): Promise<Message>
  /**
   * The answer while it is written. Given once there is content, so that until then another model can be asked.
   * Blocks come one after the other, numbered from 0, and `message_stop` is last; throws where the stream breaks off.
   * Whoever stops reading ends the work of the model.
   */
  stream(request: MessagesRequest, signal: AbortSignal): Promise<AsyncIterable<MessageEvent>>
  /** What of a request it can never serve; absent where only the upstream knows. */
  findUnserved?(request: MessagesRequest): readonly Unserved[]
  /** The tokens of a request; absent where the upstream counts none before it answers. */
  countTokens?(request: Omit<MessagesRequest, 'max_tokens'>, signal: AbortSignal): Promise<number>
}
