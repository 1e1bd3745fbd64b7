import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTiers } from '@tollbook/models/tiers/open-tiers'
import { tierFile } from '@tollbook/models/tiers/tier-file'
import { openService } from '@tollbook/testing/catalogue/open-service'
import { inferencePorts } from '@tollbook/testing/inference/inference-ports'
import { patientHealth } from '@tollbook/testing/inference/patient-health'
import { startChatUpstream } from '@tollbook/testing/models/chat-upstream'
import OpenAI from 'openai'
import { createInferenceService } from '../../../service.ts'
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
    { userAgent: 'test', health: patientHealth },
  )
  const some = await list({ tiers })
  assert.ok(some.kind === 'json')
  assert.deepEqual(
    some.body.data.filter((tier: { available: boolean }) => tier.available),
    [
      {
        id: 'tier-8',
        object: 'model',
        name: 'Tollbook tier-8',
        created: 1_795_219_200,
        owned_by: 'tollbook',
        available: true,
        path: '/v1/chat/completions/_t/tier-8',
        pricing: {
          prompt: '0',
          completion: '0',
          request: '0.007157',
          scheme: 'exact',
          price_usd: '0.007157',
        },
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
        name: 'Tollbook tier-8/upto',
        created: 1_795_219_200,
        owned_by: 'tollbook',
        available: true,
        path: '/v1/chat/completions/_t/tier-8/upto',
        pricing: {
          // 0.4 and 1.6 dollars per million tokens.
          prompt: '0.0000004',
          completion: '0.0000016',
          request: '0',
          scheme: 'upto',
          price_usd: '0.019977',
          minimum_usd: '0.001',
          rates: { input: '0.4', cached: '0.2', output: '1.6' },
        },
        limits: {
          input_characters: null,
          message_characters: null,
          input_tokens: null,
          image_tokens: 2_048,
          max_tokens: { min: 512, max: 4096, default: 4096 },
        },
      },
    ],
  )
})

test('the official SDK finds a model by its id, also a metered one', async () => {
  const service = await createInferenceService({
    baseUrl: 'https://test.example',
    ports: inferencePorts({ tiers: new Map() }),
  })
  const { ask } = openService(service)
  const openai = new OpenAI({
    apiKey: 'none',
    baseURL: 'https://test.example/v1',
    maxRetries: 0,
    fetch: async (input) => {
      const { status, text, headers } = await ask(new URL(String(input)).pathname)
      return new Response(text, { status, headers })
    },
  })
  assert.equal((await openai.models.retrieve('tier-3/upto')).id, 'tier-3/upto')
  assert.equal((await openai.models.retrieve('default')).id, 'default')
  await assert.rejects(openai.models.retrieve('tier-99'), { status: 404 })
})
