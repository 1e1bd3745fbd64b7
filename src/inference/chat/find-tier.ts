import type { OpenTiers } from '../../models/tiers/open-tiers.ts'
import { ALL_TIERS, meteredNameOf, type Tier } from './tier-table.ts'

/** The tier of a name, its own or an operator's alias, plain or metered; null for any other name. */
export function findTier(
  name: string,
  tiers: OpenTiers,
): { readonly tier: Tier; readonly isMetered: boolean } | null {
  for (const tier of ALL_TIERS) {
    const names = [tier.name, ...(tiers.get(tier.name)?.aliases ?? [])]
    if (names.includes(name)) return { tier, isMetered: false }
    if (tier.upto && names.some((one) => meteredNameOf(one) === name)) return { tier, isMetered: true }
  }
  return null
}
