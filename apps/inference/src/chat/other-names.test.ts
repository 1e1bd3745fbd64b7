import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTiers } from '@tollbook/models/tiers/open-tiers'
import { tierFile } from '@tollbook/models/tiers/tier-file'
import { openService } from '@tollbook/testing/catalogue/open-service'
import { TEST_PAYER } from '@tollbook/testing/catalogue/run-endpoint'
import { inferencePorts } from '@tollbook/testing/inference/inference-ports'
import { patientHealth } from '@tollbook/testing/inference/patient-health'
import {
  sendJson,
  startChatUpstream,
  type TestUpstream,
  toCompletion,
} from '@tollbook/testing/models/chat-upstream'
import { createInferenceService } from '../service.ts'

const messages = [{ role: 'user', content: 'hello there' }]

let upstream: TestUpstream
let service: Awaited<ReturnType<typeof createInferenceService>>
before(async () => {
  upstream = await startChatUpstream()
  upstream.answerWith(sendJson(toCompletion({ content: 'Hi' })))
  const upstreams = [{ base_url: upstream.url, model: 'upstream-model' }]
  const tiers = {
    'tier-3': { upstreams, aliases: ['fast', 'small'] },
    'tier-5': { upstreams, aliases: ['deep'] },
  }
  const opened = await openTiers(tierFile.parse({ tiers }), { userAgent: 'test', health: patientHealth })
  service = await createInferenceService({
    baseUrl: 'https://test.example',
    ports: inferencePorts({ tiers: opened }),
  })
})
after(() => upstream.close())

test("a tier is sold under the operator's names, at its own price and within its own bounds", async () => {
  const { ask } = openService(service)
  const post = (path: string, body: object) => ask(path, { method: 'POST', payer: TEST_PAYER, body })
  for (const name of ['fast', 'small', 'fast/upto', 'tier-3']) {
    for (const path of [`/v1/chat/completions/_t/${name}`, `/v1/_t/${name}/chat/completions`]) {
      const { status, body } = await post(path, { model: name, messages })
      assert.deepEqual([status, body.model], [200, name], path)
    }
  }
  const prices = service.endpoints.flatMap(({ path, pricing }) =>
    path.includes('/_t/fast') && pricing.kind !== 'free' ? [[path, pricing.kind, pricing.priceUsd]] : [],
  )
  // Specification 4.5: tier 3 costs 0.003139, metered at most 0.004049.
  assert.deepEqual(prices, [
    ['/v1/chat/completions/_t/fast', 'exact', '0.003139'],
    ['/v1/_t/fast/chat/completions', 'exact', '0.003139'],
    ['/v1/_t/fast/responses', 'exact', '0.003139'],
    ['/v1/chat/completions/_t/fast/upto', 'metered', '0.004049'],
    ['/v1/_t/fast/upto/chat/completions', 'metered', '0.004049'],
    ['/v1/_t/fast/upto/responses', 'metered', '0.004049'],
  ])
  const short = await post('/v1/chat/completions/_t/deep', { messages, max_tokens: 511 })
  assert.deepEqual([short.status, short.body.error.param], [400, 'max_tokens'])
})

test("a name of a tier other than the path's is rejected as model", async () => {
  const { ask } = openService(service)
  const post = (path: string, model: string) =>
    ask(path, { method: 'POST', payer: TEST_PAYER, body: { model, messages } })
  for (const [path, model] of [
    ['/v1/chat/completions/_t/fast', 'deep'],
    ['/v1/chat/completions/_t/fast', 'tier-5'],
    ['/v1/chat/completions/_t/fast', 'fast/upto'],
    ['/v1/chat/completions/_t/tier-3', 'deep/upto'],
  ] as const) {
    const { status, body } = await post(path, model)
    assert.deepEqual([status, body.error.param], [400, 'model'], `${model} at ${path}`)
  }
  for (const model of ['tier-3', 'small', 'gpt-4.1'])
    assert.equal((await post('/v1/chat/completions/_t/fast', model)).status, 200)
})

test('the list of models has each name, with its path', async () => {
  const { ask } = openService(service)
  const { body } = await ask('/v1/models')
  const available = body.data.filter((model: { available: boolean }) => model.available)
  assert.deepEqual(
    available.map(({ id, path }: { id: string; path: string }) => [
      id,
      path.slice('/v1/chat/completions/_t/'.length),
    ]),
    [
      'tier-3',
      'tier-3/upto',
      'fast',
      'fast/upto',
      'small',
      'small/upto',
      'tier-5',
      'tier-5/upto',
      'deep',
      'deep/upto',
    ].map((id) => [id, id]),
  )
})
