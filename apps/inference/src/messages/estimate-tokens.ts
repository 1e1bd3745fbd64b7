import type { MessageUsage } from '@tollbook/models/messages/answer'
import type { MessagesRequest } from '@tollbook/models/messages/request'
import type { TokenCounter } from '@tollbook/models/token-count'
import { mediaOfRequest, textsOfRequest } from './texts-of-request.ts'

type Asked = Omit<MessagesRequest, 'max_tokens'>

/**
 * About the max that hosted models count for one image,
 * https://platform.claude.com/docs/en/build-with-claude/vision
 */
const TOKENS_OF_AN_IMAGE = 1600

/** Token count of a request if no upstream counts it; a PDF counts as zero, because only its reader can count it. */
export function estimateTokens(request: Asked, countTokens: TokenCounter): number {
  // As one text, whose counting time is bounded: a thousand texts would each take the time of the longest
  // text that is counted whole.
  const texts = countTokens(textsOfRequest(request).join('\n'))
  const images = mediaOfRequest(request).filter(({ type }) => type === 'image').length
  return texts + images * TOKENS_OF_AN_IMAGE
}

/** The upstream's counts; those that it did not report are estimated from the request and the answer. */
export function completeUsage(
  usage: MessageUsage | null | undefined,
  { request, said, countTokens }: { request: Asked; said: string; countTokens: TokenCounter },
) {
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens } = usage ?? {}
  const requested = (input_tokens ?? 0) + (cache_read_input_tokens ?? 0) + (cache_creation_input_tokens ?? 0)
  return {
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    ...usage,
    input_tokens: requested > 0 ? (input_tokens ?? 0) : estimateTokens(request, countTokens),
    output_tokens: output_tokens || countTokens(said),
  }
}
