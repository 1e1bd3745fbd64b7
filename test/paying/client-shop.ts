import type { Endpoint } from '../../src/catalogue/endpoint.ts'
import { createSafeFetch } from '../../src/fetching/safe-fetch.ts'
import { createOpenaiImages } from '../../src/images/openai-images.ts'
import { withBreaker } from '../../src/images/upstream.ts'
import { openTiers } from '../../src/models/tiers/open-tiers.ts'
import { tierFile } from '../../src/models/tiers/tier-file.ts'
import { createWorkerPool } from '../../src/workers/pool.ts'
import { inferencePorts } from '../../testing/inference/inference-ports.ts'
import type { TestUpstream } from '../../testing/models/chat-upstream.ts'
import { openShop, type Shop } from '../../testing/paying/shop.ts'
import { servePages } from '../../testing/servers/serve-pages.ts'
import { utilityPorts } from '../../testing/utility/utility-ports.ts'

/** Sells endpoints of the utility and the inference service: tier 3 by a chat upstream, and one image. */
export async function openClientShop(endpoints: readonly Endpoint[], upstream: TestUpstream): Promise<Shop> {
  const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const body = JSON.stringify({ data: [{ b64_json: png.toString('base64') }] })
  const site = await servePages({
    '/images/generations': { headers: { 'content-type': 'application/json' }, body },
  })
  const upstreams = [{ base_url: upstream.url, model: 'm', idle_ms: 60_000 }]
  const upto = { rates: { input: '1', cached: '1', output: '4' }, input_tokens: 400, output_tokens: 600 }
  const tiers = await openTiers(tierFile.parse({ tiers: { 'tier-3': { upstreams, upto } } }), {
    userAgent: 'test',
    health: { failures: 1000 },
  })
  const fetch = createSafeFetch({ allowPrivateNetwork: true })
  const imageMaker = withBreaker(createOpenaiImages({ url: site.url, fetch, fetchPublic: fetch, sizes: [] }))
  const shop = await openShop({
    endpoints,
    portsOf: (state) => ({
      ...inferencePorts({ tiers, workers }),
      ...utilityPorts(state, { workers, imageMaker }),
      tiers,
    }),
  })
  return {
    ...shop,
    async close() {
      await shop.close()
      await workers.close()
      site.close()
    },
  }
}
