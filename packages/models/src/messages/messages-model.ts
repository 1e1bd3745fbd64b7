import type { Unserved } from '../unserved.ts'
import type { Message, MessageEvent } from './answer.ts'
import type { MessagesRequest } from './request.ts'

/**
 * A language model that answers in the messages API. All methods throw ModelRefused, ModelBusy, ModelFailed
 * or the signal's reason.
 */
export interface MessagesModel {
  /** Returns the whole answer. */
  complete(request: MessagesRequest, signal: AbortSignal): Promise<Message>
  /**
   * Streams the answer. Resolves at the first content, so that another model can be tried until then. Blocks
   * are sequential, numbered from 0, and `message_stop` is last; throws if the stream breaks off. If the
   * consumer stops reading, the model stops generating.
   */
  stream(request: MessagesRequest, signal: AbortSignal): Promise<AsyncIterable<MessageEvent>>
  /** Finds the parts of a request that the model can never serve; absent if only the upstream can tell. */
  findUnserved?(request: MessagesRequest): readonly Unserved[]
  /** Counts the tokens of a request; absent if the upstream has no token counting. */
  countTokens?(request: Omit<MessagesRequest, 'max_tokens'>, signal: AbortSignal): Promise<number>
}
