import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Service } from '@tollbook/endpoints/service'
import { loadMessagesEndpoints } from '@tollbook/inference/messages/mounted-endpoints'
import { createInferenceService } from '@tollbook/inference/service'
import { openTiers } from '@tollbook/models/tiers/open-tiers'
import { tierFile } from '@tollbook/models/tiers/tier-file'
import { ALL_TIERS } from '@tollbook/models/tiers/tier-table'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { openService } from '@tollbook/testing/catalogue/open-service'
import { TEST_PAYER } from '@tollbook/testing/catalogue/run-endpoint'
import { inferencePorts } from '@tollbook/testing/inference/inference-ports'
import { patientHealth } from '@tollbook/testing/inference/patient-health'
import {
  startChatUpstream,
  type TestUpstream,
  toChunk,
  toEvent,
} from '@tollbook/testing/models/chat-upstream'

const MAX_TOKENS = 512
/**
 * ` word` is one token of o200k; the upstream writes ten times the bound, and more until it is disconnected.
 */
const WORDS = MAX_TOKENS * 10
const WORDS_OF_A_CHUNK = 8

let upstream: TestUpstream
let services: readonly Service[]
before(async () => {
  upstream = await startChatUpstream(async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const chunk = toEvent(toChunk({ content: ' word'.repeat(WORDS_OF_A_CHUNK) }))
    for (let words = 0; words < WORDS && !response.destroyed; words += WORDS_OF_A_CHUNK)
      await new Promise<void>((resolve) => response.write(chunk, () => setImmediate(resolve)))
    response.end(`${toEvent(toChunk({}, 'stop'))}data: [DONE]\n\n`)
  })
  const upstreams = [{ base_url: upstream.url, model: 'm' }]
  const names = [...ALL_TIERS.map(({ name }) => name), 'messages']
  const file = tierFile.parse({ tiers: Object.fromEntries(names.map((name) => [name, { upstreams }])) })
  const tiers = await openTiers(file, { userAgent: 'test', health: patientHealth })
  const ports = { tiers, fetch: createSafeFetch({ allowPrivateNetwork: true }) }
  services = [
    await createInferenceService({ baseUrl: 'https://test.example', ports: inferencePorts({ tiers }) }),
    {
      name: 'utility',
      title: 'Test',
      description: 'Test',
      baseUrl: 'https://test.example',
      endpoints: await loadMessagesEndpoints(),
      ports,
    },
  ]
})
after(() => upstream.close())

test('on every streamed route an upstream that ignores max_tokens is cut at 1.5 times the bound', async () => {
  let routes = 0
  for (const service of services) {
    const { ask } = openService(service)
    for (const endpoint of service.endpoints) {
      const body = {
        messages: [{ role: 'user', content: 'Hi' }],
        max_tokens: MAX_TOKENS,
        stream: true,
        ...(endpoint.dialect === 'messages' && { model: 'any' }),
      }
      if (!endpoint.dialect || !endpoint.input.safeParse(body).success) continue
      if (!Object.hasOwn(endpoint.input.shape, 'stream')) continue
      routes += 1
      const { status, text } = await ask(endpoint.path, { method: 'POST', payer: TEST_PAYER, body })
      assert.equal(status, 200, `${endpoint.path}: ${text}`)
      const words = text.split(' word').length - 1
      assert.ok(words >= MAX_TOKENS, `${endpoint.path} was cut at ${words} words`)
      // 1.5 x 512 = 768, plus 16 for short answers, plus the chunk that exceeds the bound.
      assert.ok(words <= 768 + 16 + WORDS_OF_A_CHUNK, `${endpoint.path} gave ${words} words`)
      assert.match(
        text,
        endpoint.dialect === 'chat' ? /"finish_reason":"length"/ : /"stop_reason":"max_tokens"/,
      )
      assert.match(
        text,
        endpoint.dialect === 'chat' ? /data: \[DONE\]\n\n$/ : /event: message_stop\ndata: .*\n\n$/,
      )
    }
  }
  // The defaults, 15 tiers and 7 metered ones, the tiers each under two paths; and messages of all but the metered ones.
  assert.equal(routes, 1 + 2 * (15 + 7) + 2 + 15)
})
