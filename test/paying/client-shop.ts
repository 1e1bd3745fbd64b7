import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { createOpenaiImages } from '@tollbook/models/images/openai-images'
import { withBreaker } from '@tollbook/models/images/upstream'
import { openTiers } from '@tollbook/models/tiers/open-tiers'
import { tierFile } from '@tollbook/models/tiers/tier-file'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { inferencePorts } from '@tollbook/testing/inference/inference-ports'
import type { TestUpstream } from '@tollbook/testing/models/chat-upstream'
import { openShop, type Shop } from '@tollbook/testing/paying/shop'
import { servePages } from '@tollbook/testing/servers/serve-pages'
import { utilityPorts } from '@tollbook/testing/utility/utility-ports'
import { createWorkerPool } from '@tollbook/workers/pool'

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
