import { METERED_TIERS } from '@tollbook/models/tiers/tier-table'
import { defineResponses } from '../../../../../../responses/define-responses.ts'

/** The metered tiers in the responses dialect, below their base URL. */
export const responsesByMeteredTier = METERED_TIERS.map((tier) =>
  defineResponses({
    tier,
    id: `responses.${tier.name}.upto`,
    path: `/v1/_t/${tier.name}/upto/responses`,
    summary: `Metered response from ${tier.name}`,
    variant: { of: 'responses', name: `${tier.name}, by the token`, isBrief: true },
    isMetered: true,
  }),
)
