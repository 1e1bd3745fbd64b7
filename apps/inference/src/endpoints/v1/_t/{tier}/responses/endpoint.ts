import { TIERS } from '@tollbook/models/tiers/tier-table'
import { defineResponses } from '../../../../../responses/define-responses.ts'

/** The tiers in the responses dialect, where SDKs with a base URL of `/v1/_t/<tier>` look for them. */
export const responsesByTier = TIERS.map((tier) =>
  defineResponses({
    tier,
    id: `responses.${tier.name}`,
    path: `/v1/_t/${tier.name}/responses`,
    summary: `Response from ${tier.name}`,
    variant: { of: 'responses', name: tier.name, isBrief: true },
  }),
)
