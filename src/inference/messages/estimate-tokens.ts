import type { MessageUsage } from '../../models/messages/answer.ts'
import type { MessagesRequest } from '../../models/messages/request.ts'
import type { TokenCounter } from '../../models/token-count.ts'
import { mediaOfRequest, textsOfRequest } from './texts-of-request.ts'

type Asked = Omit<MessagesRequest, 'max_tokens'>

/** About the most that hosted models count of one image, https://platform.claude.com/docs/en/build-with-claude/vision */
const TOKENS_OF_AN_IMAGE = 1600

/** Tokens of a request where no upstream counts them; a PDF is counted by nobody but its reader, and as none here. */
export function estimateTokens(request: Asked, countTokens: TokenCounter): number {
  // As one text, whose count has a bound: a thousand texts would each take the time of the longest that is counted whole.
  const texts = countTokens(textsOfRequest(request).join('\n'))
  const images = mediaOfRequest(request).filter(({ type }) => type === 'image').length
  return texts + images * TOKENS_OF_AN_IMAGE
}

/** Counts as the upstream told them, and where it told none, as they are estimated of what was asked and said. */
export function completeUsage(
  usage: MessageUsage | null | undefined,
  { request, said, countTokens }: { request: Asked; said: string; countTokens: TokenCounter },
) {
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens } = usage ?? {}
  const asked = (input_tokens ?? 0) + (cache_read_input_tokens ?? 0) + (cache_creation_input_tokens ?? 0)
  return {
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    ...usage,
    input_tokens: asked > 0 ? (input_tokens ?? 0) : estimateTokens(request, countTokens),
    output_tokens: output_tokens || countTokens(said),
  }
}
