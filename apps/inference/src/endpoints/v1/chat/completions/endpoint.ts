import { DEFAULT_TIER } from '@tollbook/models/tiers/tier-table'
import { defineChat } from '../../../../chat/define-chat.ts'

export const chatCompletions = defineChat({
  tier: DEFAULT_TIER,
  id: 'chat.completions',
  path: '/v1/chat/completions',
  summary: 'Chat completion from the default model, or from the one that `model` names',
  pathOf: (name) => `/v1/chat/completions/_t/${name}`,
})
