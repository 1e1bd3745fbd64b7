import { ALL_TIERS } from '@tollbook/models/tiers/tier-table'
import { defineMessages } from '../../../../../messages/define-messages.ts'

/** The tiers in the messages dialect, and the default model, which `model` selects on `/v1/messages`. */
export const messagesByTier = ALL_TIERS.map((tier) =>
  defineMessages({
    tier,
    id: `messages.${tier.name}`,
    path: `/v1/_t/${tier.name}/messages`,
    summary: `Message from ${tier.name}`,
    variant: { of: 'messages', name: tier.name, isBrief: true },
  }),
)
