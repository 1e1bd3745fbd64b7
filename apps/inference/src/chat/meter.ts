import { type AtomicUsdc, toExactUsdNumber } from '@tollbook/chain/usdc'
import { answerText } from '@tollbook/models/chat/answer-text'
import type { ChatChunk, ChatCompletion } from '@tollbook/models/chat/chat-messages'
import { type Metering, type TokenUse, worthOf } from '@tollbook/models/tiers/metering'
import type { TokenCounter } from '@tollbook/models/token-count'
import { chargeOfTokens } from '../price.ts'
import { boundInputTokens, estimateInputTokens } from './bound-input.ts'
import type { ChatInput } from './request-fields.ts'

type Usage = NonNullable<ChatChunk['usage']>

/** Counts the tokens of one call. */
export type Meter = {
  /** Adds a chunk of the answer; returns the value of the answer up to and including it, without the minimum charge. */
  take(chunk: ChatChunk): AtomicUsdc
  takeWhole(answer: ChatCompletion): AtomicUsdc
  /** The counts for the caller, with the cost in dollars; marked if only we counted. */
  usage(): Usage
}

export type MeterOptions = {
  readonly metering: Metering
  readonly input: ChatInput
  /** The bound of the answer that was sent to the upstream. */
  readonly maxTokens: number
  readonly countTokens: TokenCounter
}

/**
 * Meters a call by its upstream's counts, and until they arrive, or if it does not count, by the text. A
 * count never exceeds the bound determined before the call, so that no upstream can charge more.
 */
export function createMeter({ metering, input, maxTokens, countTokens }: MeterOptions): Meter {
  const maxInput = Math.min(
    boundInputTokens(input, metering),
    metering.inputTokens ?? Number.POSITIVE_INFINITY,
  )
  let reported: Usage | undefined
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

  const use = () => (reported ? hold(readUsage(reported)) : estimate())

  /** Some servers send counts of zero if they do not count. */
  const isTold = (usage: Usage | null | undefined): usage is Usage =>
    usage != null && usage.prompt_tokens + usage.completion_tokens > 0

  return {
    take({ choices, usage }) {
      const text = choices.map(({ delta }) => answerText(delta ?? {})).join('')
      written += countTokens(text)
      // Counts that arrived before the last text cover only a part.
      if (isTold(usage)) reported = usage
      else if (text !== '') reported = undefined
      return worthOf(use(), metering)
    },
    takeWhole({ choices, usage }) {
      if (isTold(usage)) reported = usage
      else written = countTokens(choices.map(({ message }) => answerText(message)).join(''))
      return chargeOfTokens(use(), metering)
    },
    usage() {
      const counted = use()
      const cost_usd = toExactUsdNumber(chargeOfTokens(counted, metering))
      if (reported) return { ...reported, cost_usd }
      const { input: prompt_tokens, output: completion_tokens } = counted
      const total_tokens = prompt_tokens + completion_tokens
      return { prompt_tokens, completion_tokens, total_tokens, usage_estimated: true, cost_usd }
    },
  }
}

/** The upstream's counts. Some exclude reasoning from the completion and include it only in the total. */
function readUsage({
  prompt_tokens,
  completion_tokens,
  total_tokens,
  prompt_tokens_details,
}: Usage): TokenUse {
  const output = Math.max(completion_tokens, (total_tokens ?? 0) - prompt_tokens)
  return { input: prompt_tokens, cached: prompt_tokens_details?.cached_tokens ?? 0, output }
}
