import assert from 'node:assert/strict'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { openEmbedder } from '@tollbook/models/embeddings/open-embedder'
import { createOpenaiImages } from '@tollbook/models/images/openai-images'
import { withBreaker } from '@tollbook/models/images/upstream'
import { openTiers } from '@tollbook/models/tiers/open-tiers'
import { tierFile } from '@tollbook/models/tiers/tier-file'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { inferencePorts } from '@tollbook/testing/inference/inference-ports'
import { patientHealth } from '@tollbook/testing/inference/patient-health'
import { startChatUpstream } from '@tollbook/testing/models/chat-upstream'
import type { SellerOptions } from '@tollbook/testing/paying/seller'
import { openShop, type Shop } from '@tollbook/testing/paying/shop'
import { socialPorts } from '@tollbook/testing/social/open-social'
import { utilityPorts } from '@tollbook/testing/utility/utility-ports'

/** A shop with the endpoints of all services, and one upstream for all models. */
export async function openWholeShop(
  endpoints: readonly Endpoint[],
  options: Pick<SellerOptions, 'settings' | 'tools'> = {},
): Promise<Shop> {
  const upstream = await startChatUpstream()
  const upstreams = [{ base_url: upstream.url, model: 'any' }]
  const names = ['default', 'messages', ...Array.from({ length: 15 }, (_, at) => `tier-${at + 1}`)]
  const file = tierFile.parse({
    tiers: Object.fromEntries(names.map((name) => [name, { upstreams }])),
    embeddings: { upstreams },
  })
  const reaching = { userAgent: 'test', health: patientHealth }
  const tiers = await openTiers(file, reaching)
  const embedder = await openEmbedder(file.embeddings ?? assert.fail(), reaching)
  const fetch = createSafeFetch({ allowPrivateNetwork: true })
  const imageMaker = withBreaker(
    createOpenaiImages({ url: upstream.url, fetch, fetchPublic: fetch, sizes: [] }),
  )
  const shop = await openShop({
    ...options,
    endpoints,
    portsOf: async (state) => ({
      ...inferencePorts({ tiers, embedder }),
      ...(await socialPorts(state)),
      ...utilityPorts(state, { imageMaker }),
      tiers,
    }),
  })
  return {
    ...shop,
    async close() {
      await shop.close()
      upstream.close()
    },
  }
}
