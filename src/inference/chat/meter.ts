import { answerText } from '../../models/chat/answer-text.ts'
import type { ChatChunk, ChatCompletion } from '../../models/chat/chat-messages.ts'
import type { TokenCounter } from '../../models/token-count.ts'
import { type AtomicUsdc, toExactUsdNumber } from '../../money/usdc.ts'
import { boundInputTokens, estimateInputTokens } from './bound-input.ts'
import { chargeOf, type Metering, type TokenUse, worthOf } from './metering.ts'
import type { ChatInput } from './request-fields.ts'

type Usage = NonNullable<ChatChunk['usage']>

/** Counts one call. */
export type Meter = {
  /** Takes a chunk of the answer; gives what the answer is worth up to and with that, without the least charge. */
  take(chunk: ChatChunk): AtomicUsdc
  takeWhole(answer: ChatCompletion): AtomicUsdc
  /** The counts as callers see them, with the cost in dollars; they say so where nobody but us counted. */
  usage(): Usage
}

export type MeterOptions = {
  readonly metering: Metering
  readonly input: ChatInput
  /** The bound of the answer that went to the upstream. */
  readonly maxTokens: number
  readonly countTokens: TokenCounter
}

/**
 * Meters a call by what its upstream counts, and until then, or where it does not count, by the text. A count never goes
 * beyond what was bounded before the call, so that no upstream can charge more than that.
 */
export function createMeter({ metering, input, maxTokens, countTokens }: MeterOptions): Meter {
  const maxInput = boundInputTokens(input, metering)
  let told: Usage | undefined
  let estimated: number | undefined
  let written = 0

  function estimate(): TokenUse {
    estimated ??= estimateInputTokens(input, metering, countTokens)
    return hold({ input: estimated, cached: 0, output: written })
  }

  function hold(use: TokenUse): TokenUse {
    const held = Math.min(use.input, maxInput)
    return { input: held, cached: Math.min(use.cached, held), output: Math.min(use.output, maxTokens) }
  }

  const use = () => (told ? hold(readUsage(told)) : estimate())

  /** Some servers send counts of zero where they do not count. */
  const isTold = (usage: Usage | null | undefined): usage is Usage =>
    usage != null && usage.prompt_tokens + usage.completion_tokens > 0

  return {
    take({ choices, usage }) {
      const text = choices.map(({ delta }) => answerText(delta ?? {})).join('')
      written += countTokens(text)
      // Counts that came before the last text are those of a beginning.
      if (isTold(usage)) told = usage
      else if (text !== '') told = undefined
      return worthOf(use(), metering)
    },
    takeWhole({ choices, usage }) {
      if (isTold(usage)) told = usage
      else written = countTokens(choices.map(({ message }) => answerText(message)).join(''))
      return chargeOf(use(), metering)
    },
    usage() {
      const counted = use()
      const cost_usd = toExactUsdNumber(chargeOf(counted, metering))
      if (told) return { ...told, cost_usd }
      const { input: prompt_tokens, output: completion_tokens } = counted
      const total_tokens = prompt_tokens + completion_tokens
      return { prompt_tokens, completion_tokens, total_tokens, usage_estimated: true, cost_usd }
    },
  }
}

/** What an upstream counted. Some leave reasoning out of the completion, and have it in the total alone. */
function readUsage({
  prompt_tokens,
  completion_tokens,
  total_tokens,
  prompt_tokens_details,
}: Usage): TokenUse {
  const output = Math.max(completion_tokens, (total_tokens ?? 0) - prompt_tokens)
  return { input: prompt_tokens, cached: prompt_tokens_details?.cached_tokens ?? 0, output }
}
