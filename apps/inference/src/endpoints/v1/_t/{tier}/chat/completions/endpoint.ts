import { TIERS } from '@tollbook/models/tiers/tier-table'
import { defineChat } from '../../../../../../chat/define-chat.ts'

/** The tiers again, at the path where SDKs with a base URL of `/v1/_t/<tier>` look for them. */
export const tiersByBaseUrl = TIERS.map((tier) =>
  defineChat({
    tier,
    id: `chat.base-url.${tier.name}`,
    path: `/v1/_t/${tier.name}/chat/completions`,
    summary: `Chat completion of ${tier.name}, for SDKs`,
    variant: { of: `chat.${tier.name}`, name: 'for SDKs with a base URL' },
  }),
)
