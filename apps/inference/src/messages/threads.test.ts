import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTiers } from '@tollbook/models/tiers/open-tiers'
import { tierFile } from '@tollbook/models/tiers/tier-file'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { openService } from '@tollbook/testing/catalogue/open-service'
import { TEST_PAYER } from '@tollbook/testing/catalogue/run-endpoint'
import { patientHealth } from '@tollbook/testing/inference/patient-health'
import { startChatUpstream, type TestUpstream } from '@tollbook/testing/models/chat-upstream'
import { loadMessagesEndpoints } from './mounted-endpoints.ts'

let upstream: TestUpstream
before(async () => {
  upstream = await startChatUpstream()
})
after(() => upstream.close())

/**
 * `ThreadUnsupportedRequestErrorDetails` of @anthropic-ai/sdk 1.14 (src/resources/messages/messages.ts): with it the tool
 * runner, which asks for a thread by default, continues without one; without it, it fails.
 */
test('a thread is refused in the form by which clients continue without one', async () => {
  const upstreams = [{ base_url: upstream.url, model: 'upstream-model' }]
  const file = tierFile.parse({ tiers: { messages: { upstreams } } })
  const tiers = await openTiers(file, { userAgent: 'test', health: patientHealth })
  const { ask } = openService({
    name: 'utility',
    title: 'Test',
    description: 'Test',
    baseUrl: 'https://test.example',
    endpoints: await loadMessagesEndpoints(),
    ports: { tiers, fetch: createSafeFetch({ allowPrivateNetwork: true }) },
  })
  const body = { model: 'any', max_tokens: 64, messages: [{ role: 'user', content: 'hello' }] }
  const send = (further: object) =>
    ask('/v1/messages?beta=true', { method: 'POST', payer: TEST_PAYER, body: { ...body, ...further } })
  const refused = await send({ thread: { type: 'create' } })
  assert.deepEqual([refused.status, refused.body.error.type], [400, 'invalid_request_error'])
  assert.deepEqual(refused.body.error.details, {
    error_code: 'thread_unsupported_request',
    unsupported: ['thread'],
  })
  assert.equal((await send({})).status, 200)
  // Other refusals are none that a client can work around by itself.
  assert.equal((await send({ container: 'x' })).body.error.details, undefined)
})
