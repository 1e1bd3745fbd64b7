import { createInferenceService } from '@tollbook/inference/service'
import { openTiers } from '@tollbook/models/tiers/open-tiers'
import { tierFile } from '@tollbook/models/tiers/tier-file'
import { openService } from '../catalogue/open-service.ts'
import { TEST_PAYER } from '../catalogue/run-endpoint.ts'
import type { TestUpstream } from '../models/chat-upstream.ts'
import { inferencePorts } from './inference-ports.ts'
import { patientHealth } from './patient-health.ts'

/** Calls of the responses dialect: the default tier and tier-5. */
export async function openResponses({ url }: TestUpstream) {
  const upstreams = [{ base_url: url, model: 'upstream-model' }]
  const tiers = { default: { upstreams }, 'tier-5': { upstreams } }
  const opened = await openTiers(tierFile.parse({ tiers }), { userAgent: 'test', health: patientHealth })
  const service = await createInferenceService({
    baseUrl: 'https://test.example',
    ports: inferencePorts({ tiers: opened }),
  })
  const { ask } = openService(service)
  return (body: object, path = '/v1/responses') => ask(path, { method: 'POST', payer: TEST_PAYER, body })
}
