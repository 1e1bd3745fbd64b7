import { METERED_TIERS } from '@tollbook/models/tiers/tier-table'
import { defineChat } from '../../../../../../../chat/define-chat.ts'

export const meteredTiers = METERED_TIERS.map((tier) =>
  defineChat({
    tier,
    id: `chat.${tier.name}.upto`,
    path: `/v1/chat/completions/_t/${tier.name}/upto`,
    summary: `Metered chat completion of ${tier.name}`,
    variant: { of: `chat.${tier.name}`, name: 'by the token' },
    isMetered: true,
  }),
)
