import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTiers } from '@tollbook/models/tiers/open-tiers'
import { tierFile } from '@tollbook/models/tiers/tier-file'
import { openService } from '@tollbook/testing/catalogue/open-service'
import { TEST_PAYER } from '@tollbook/testing/catalogue/run-endpoint'
import { inferencePorts } from '@tollbook/testing/inference/inference-ports'
import { patientHealth } from '@tollbook/testing/inference/patient-health'
import { sendJson, startChatUpstream, toCompletion } from '@tollbook/testing/models/chat-upstream'
import { loadMessagesEndpoints } from './mounted-endpoints.ts'

test('a tier that model names has the bounds of its price, and a metered one is not sold', async (context) => {
  const upstream = await startChatUpstream(sendJson(toCompletion({ content: 'Hi' })))
  context.after(upstream.close)
  const names = ['messages', 'tier-5', 'tier-12', 'tier-14']
  const upstreams = [{ base_url: upstream.url, model: 'upstream-model' }]
  const file = tierFile.parse({ tiers: Object.fromEntries(names.map((name) => [name, { upstreams }])) })
  const tiers = await openTiers(file, { userAgent: 'test', health: patientHealth })
  const { ask } = openService({
    name: 'utility',
    title: 'Test',
    description: 'Test',
    baseUrl: 'https://test.example',
    endpoints: await loadMessagesEndpoints(),
    ports: inferencePorts({ tiers }),
  })
  const said = (characters: number) => [{ role: 'user', content: 'x'.repeat(characters) }]
  // Specification 4.5: max_tokens 512 to 2,048 on tier 5; 36,000 characters on 12; 12,000 a message on 14.
  for (const [model, more, param] of [
    ['tier-5', { max_tokens: 512 }, null],
    ['tier-5', { max_tokens: 511 }, 'max_tokens'],
    ['tier-5', { max_tokens: 2049 }, 'max_tokens'],
    ['tier-5/upto', { max_tokens: 512 }, 'model'],
    ['tier-12', { messages: said(36_000) }, null],
    ['tier-12', { messages: said(36_001) }, 'messages'],
    ['tier-14', { messages: said(12_000) }, null],
    ['tier-14', { messages: said(12_001) }, 'messages.0.content'],
  ] as const) {
    const request = { max_tokens: 64, messages: said(5), ...more, model }
    const { status, body } = await ask('/v1/messages', { method: 'POST', payer: TEST_PAYER, body: request })
    assert.equal(status, param === null ? 200 : 400, `${model} ${param}`)
    if (param === null) assert.equal(body.model, model)
    else assert.match(body.error.message, new RegExp(`^${param} must`))
  }
  assert.equal(upstream.calls.length, 3)
})
