import { METERED_TIERS } from '@tollbook/models/tiers/tier-table'
import { defineChat } from '../../../../../../../chat/define-chat.ts'

/** The metered tiers again, at the path where SDKs with a base URL of `/v1/_t/<tier>/upto` look for them. */
export const meteredTiersByBaseUrl = METERED_TIERS.map((tier) =>
  defineChat({
    tier,
    id: `chat.base-url.${tier.name}.upto`,
    path: `/v1/_t/${tier.name}/upto/chat/completions`,
    summary: `Metered chat completion of ${tier.name}, for SDKs`,
    variant: { of: `chat.${tier.name}`, name: 'by the token, for SDKs with a base URL' },
    isMetered: true,
  }),
)
