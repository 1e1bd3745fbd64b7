import type { OpenTier } from '../../models/tiers/open-tiers.ts'
import { limitsOf, type TierLimits } from './limits.ts'
import { type Metering, meteringOf } from './metering.ts'
import { meteredNameOf, type Tier } from './tier-table.ts'

/** What a path of a tier sells. */
export type ChatOffer = {
  readonly tier: Tier
  /** As the answer and the list of models name it. */
  readonly name: string
  /** Null where each call costs the same. */
  readonly meteringOf: (opened: OpenTier | undefined) => Metering | null
  readonly limitsOf: (opened: OpenTier | undefined) => TierLimits
}

/** The plain offer of a tier, or its metered one. */
export function toChatOffer(tier: Tier, isMetered: boolean): ChatOffer {
  const metering = (opened: OpenTier | undefined) => (isMetered ? meteringOf(tier, opened?.upto) : null)
  return {
    tier,
    name: isMetered ? meteredNameOf(tier) : tier.name,
    meteringOf: metering,
    limitsOf: (opened) => limitsOf(tier, opened, metering(opened)),
  }
}
