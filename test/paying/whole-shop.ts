import assert from 'node:assert/strict'
import type { Endpoint } from '../../src/catalogue/endpoint.ts'
import { createSafeFetch } from '../../src/fetching/safe-fetch.ts'
import { createOpenaiImages } from '../../src/images/openai-images.ts'
import { withBreaker } from '../../src/images/upstream.ts'
import { openEmbedder } from '../../src/models/embeddings/open-embedder.ts'
import { openTiers } from '../../src/models/tiers/open-tiers.ts'
import { tierFile } from '../../src/models/tiers/tier-file.ts'
import { inferencePorts } from '../../testing/inference/inference-ports.ts'
import { patientHealth } from '../../testing/inference/patient-health.ts'
import { startChatUpstream } from '../../testing/models/chat-upstream.ts'
import type { SellerOptions } from '../../testing/paying/seller.ts'
import { openShop, type Shop } from '../../testing/paying/shop.ts'
import { socialPorts } from '../../testing/social/open-social.ts'
import { utilityPorts } from '../../testing/utility/utility-ports.ts'

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
