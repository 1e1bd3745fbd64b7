import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inferencePorts } from '../../../../../test/inference/inference-ports.ts'
import { startChatUpstream } from '../../../../../test/models/chat-upstream.ts'
import { openTiers } from '../../../../models/tiers/open-tiers.ts'
import { tierFile } from '../../../../models/tiers/tier-file.ts'
import { models } from './endpoint.ts'

test('the list of models is free and shows prices, limits and availability', async (t) => {
  const upstream = await startChatUpstream()
  t.after(upstream.close)
  const list = (ports: object) => models.handle({ ports: inferencePorts(ports) } as never)
  const none = await list({})
  assert.ok(none.kind === 'json')
  assert.deepEqual(
    [none.body.data.length, none.body.data.some((tier: { available: boolean }) => tier.available)],
    // The default, 15 tiers, and 7 of them metered.
    [23, false],
  )
  const tiers = await openTiers(
    tierFile.parse({ tiers: { 'tier-8': { upstreams: [{ base_url: upstream.url, model: 'm' }] } } }),
    { userAgent: 'test' },
  )
  const some = await list({ tiers })
  assert.ok(some.kind === 'json')
  assert.deepEqual(
    some.body.data.filter((tier: { available: boolean }) => tier.available),
    [
      {
        id: 'tier-8',
        object: 'model',
        created: 1_795_219_200,
        owned_by: 'tollbook',
        available: true,
        path: '/v1/chat/completions/_t/tier-8',
        pricing: { scheme: 'exact', price_usd: '0.007157' },
        limits: {
          input_characters: null,
          message_characters: null,
          input_tokens: null,
          image_tokens: null,
          max_tokens: { min: 512, max: 4096, default: 4096 },
        },
      },
      {
        id: 'tier-8/upto',
        object: 'model',
        created: 1_795_219_200,
        owned_by: 'tollbook',
        available: true,
        path: '/v1/chat/completions/_t/tier-8/upto',
        pricing: {
          scheme: 'upto',
          price_usd: '0.019977',
          minimum_usd: '0.001',
          rates: { input: '0.4', cached: '0.2', output: '1.6' },
        },
        limits: {
          input_characters: null,
          message_characters: null,
          input_tokens: 32_768,
          image_tokens: 2_048,
          max_tokens: { min: 512, max: 4096, default: 4096 },
        },
      },
    ],
  )
})
