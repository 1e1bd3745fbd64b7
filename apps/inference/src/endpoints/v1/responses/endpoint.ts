import { DEFAULT_TIER } from '@tollbook/models/tiers/tier-table'
import { defineResponses } from '../../../responses/define-responses.ts'

export const responses = defineResponses({
  tier: DEFAULT_TIER,
  id: 'responses',
  path: '/v1/responses',
  summary: 'Response from the default model, or from the one that `model` names',
  pathOf: (name) => `/v1/_t/${name}/responses`,
})
