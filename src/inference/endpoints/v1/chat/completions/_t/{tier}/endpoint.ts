import { defineChat } from '../../../../../../chat/define-chat.ts'
import { TIERS } from '../../../../../../chat/tier-table.ts'

export const tiers = TIERS.map((tier) =>
  defineChat({
    tier,
    id: `chat.${tier.name}`,
    path: `/v1/chat/completions/_t/${tier.name}`,
    summary: `Chat completion of ${tier.name}`,
  }),
)
