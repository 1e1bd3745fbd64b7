import type { Availability } from '@tollbook/endpoints/endpoint'
import { type Metering, meteringOf } from '@tollbook/models/tiers/metering'
import type { OpenTier } from '@tollbook/models/tiers/open-tiers'
import { meteredNameOf, type Tier } from '@tollbook/models/tiers/tier-table'
import { limitsOf, type TierLimits } from './limits.ts'

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
 * @param otherName the operator's name for it, replacing its own
 */
export function toChatOffer(tier: Tier, isMetered: boolean, otherName = tier.name): ChatOffer {
  const metering = (opened: OpenTier | undefined) => (isMetered ? meteringOf(tier, opened?.upto) : null)
  return {
    tier,
    isMetered,
    name: isMetered ? meteredNameOf(otherName) : otherName,
    meteringOf: metering,
    limitsOf: (opened) => limitsOf(tier, opened, metering(opened)),
  }
}

/** Whether a tier is currently available. */
export function availabilityOf(name: string, opened: OpenTier | undefined): Availability {
  if (!opened) {
    const detail = `No model is configured: the operator's file (TOLLBOOK_MODELS_FILE) has no entry for ${name}.`
    return { isAvailable: false, problem: { code: 'not_configured', detail } }
  }
  if (opened.model.isReady()) return { isAvailable: true }
  const detail = 'No upstream of this model is answering at the moment.'
  const retryAfterSeconds = opened.model.pauseSeconds()
  return { isAvailable: false, problem: { code: 'unavailable', detail, retryAfterSeconds } }
}
