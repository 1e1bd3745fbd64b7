import { TIERS } from '@tollbook/models/tiers/tier-table'
import { defineChat } from '../../../../../../chat/define-chat.ts'

export const tiers = TIERS.map((tier) =>
  defineChat({
    tier,
    id: `chat.${tier.name}`,
    path: `/v1/chat/completions/_t/${tier.name}`,
    summary: `Chat completion of ${tier.name}`,
  }),
)
