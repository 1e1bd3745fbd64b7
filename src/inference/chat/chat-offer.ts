import type { OpenTier } from '../../models/tiers/open-tiers.ts'
import { limitsOf, type TierLimits } from './limits.ts'
import { type Metering, meteringOf } from './metering.ts'
import { meteredNameOf, type Tier } from './tier-table.ts'

/** What a path of a tier offers. */
export type ChatOffer = {
  readonly tier: Tier
  readonly isMetered: boolean
  /** The name in the answer and in the list of models. */
  readonly name: string
  /** Null if each call costs the same. */
  readonly meteringOf: (opened: OpenTier | undefined) => Metering | null
  readonly limitsOf: (opened: OpenTier | undefined) => TierLimits
}

/**
 * The plain offer of a tier, or its metered one.
 * @param alias the operator's name for it, replacing its own
 */
export function toChatOffer(tier: Tier, isMetered: boolean, alias = tier.name): ChatOffer {
  const metering = (opened: OpenTier | undefined) => (isMetered ? meteringOf(tier, opened?.upto) : null)
  return {
    tier,
    isMetered,
    name: isMetered ? meteredNameOf(alias) : alias,
    meteringOf: metering,
    limitsOf: (opened) => limitsOf(tier, opened, metering(opened)),
  }
}
