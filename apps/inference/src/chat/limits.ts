import type { Issue } from '@tollbook/http/problem'
import type { Metering } from '@tollbook/models/tiers/metering'
import type { OpenTier } from '@tollbook/models/tiers/open-tiers'
import type { Tier } from '@tollbook/models/tiers/tier-table'
import { countCharacters } from './messages.ts'
import type { ChatInput } from './request-fields.ts'

/** The bounds of a tier: those of its price, narrowed by the operator's. Absent means unbounded. */
export type TierLimits = {
  readonly inputCharacters: number | null
  readonly messageCharacters: number | null
  readonly maxTokens: {
    readonly min: number
    readonly max: number | null
    readonly standard: number | null
  }
}

/** The limits of a call of this tier; of its metered variant, if a metering is provided. */
export function limitsOf(
  tier: Tier,
  opened: OpenTier | undefined,
  metering: Metering | null = null,
): TierLimits {
  const bought = narrower(tier.maxTokens?.max, metering?.outputTokens)
  const max = narrower(opened?.limits.output_tokens, bought)
  // An operator's bound below the minimum would leave no valid value.
  const min = Math.min(tier.maxTokens?.min ?? 1, max ?? Number.POSITIVE_INFINITY)
  return {
    inputCharacters: narrower(tier.inputCharacters, opened?.limits.input_characters),
    messageCharacters: tier.messageCharacters ?? null,
    maxTokens: { min, max, standard: narrower(tier.maxTokens?.standard ?? max ?? undefined, max) },
  }
}

function narrower(one: number | undefined, other: number | null | undefined): number | null {
  const min = Math.min(one ?? Number.POSITIVE_INFINITY, other ?? Number.POSITIVE_INFINITY)
  return Number.isFinite(min) ? min : null
}

/** The parts of a request that exceed the tier. */
export function findLimitIssues(input: ChatInput, limits: TierLimits): Issue[] {
  const issues: Issue[] = []
  const { inputCharacters, messageCharacters } = limits
  const isBounded = inputCharacters !== null || messageCharacters !== null
  const counts = isBounded ? input.messages.map(countCharacters) : []
  const sum = counts.reduce((total, count) => total + count, 0)
  if (inputCharacters !== null && sum > inputCharacters) {
    const detail = `must have at most ${inputCharacters} characters in total, not ${sum}`
    issues.push({ parameter: 'messages', detail })
  }
  for (const [at, count] of counts.entries()) {
    if (messageCharacters === null || count <= messageCharacters) continue
    const detail = `must have at most ${messageCharacters} characters, not ${count}`
    issues.push({ parameter: `messages.${at}.content`, detail })
  }
  const { min, max } = limits.maxTokens
  for (const parameter of ['max_tokens', 'max_completion_tokens'] as const) {
    const value = input[parameter] ?? null
    if (value === null || (value >= min && value <= (max ?? value))) continue
    const detail = max === null ? `must be at least ${min}` : `must be from ${min} to ${max}`
    issues.push({ parameter, detail })
  }
  const { max_tokens: one, max_completion_tokens: other } = input
  if (one && other && one !== other) {
    issues.push({
      parameter: 'max_completion_tokens',
      detail: 'must equal max_tokens, or be the only one of the two',
    })
  }
  return issues
}

/** The bound sent upstream; undefined leaves it to the upstream. */
export function maxTokensOf(input: ChatInput, { maxTokens }: TierLimits): number | undefined {
  return input.max_completion_tokens ?? input.max_tokens ?? maxTokens.standard ?? undefined
}
