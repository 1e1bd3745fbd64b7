import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parseUsd } from '@tollbook/chain/usdc'
import { loadEndpoints } from '@tollbook/endpoints/load'
import { openTiers } from '@tollbook/models/tiers/open-tiers'
import { tierFile } from '@tollbook/models/tiers/tier-file'
import { inferencePorts } from '@tollbook/testing/inference/inference-ports'
import { patientHealth } from '@tollbook/testing/inference/patient-health'
import { startChatUpstream, type TestUpstream } from '@tollbook/testing/models/chat-upstream'
import { openShop, type Shop } from '@tollbook/testing/paying/shop'
import OpenAI from 'openai'
import type { ResponseInputItem, ResponseStreamEvent } from 'openai/resources/responses/responses'
import { callToolThenAnswer, TOOL_CALLS } from './tool-loop.ts'

const PRICE = parseUsd('0.003139')
let upstream: TestUpstream
let shop: Shop
before(async () => {
  upstream = await startChatUpstream(callToolThenAnswer)
  const upstreams = [{ base_url: upstream.url, model: 'upstream-model' }]
  const tiers = await openTiers(tierFile.parse({ tiers: { 'tier-3': { upstreams } } }), {
    userAgent: 'test',
    health: patientHealth,
  })
  const all = await loadEndpoints(new URL('../../apps/inference/src/', import.meta.url))
  const endpoints = all.filter(({ id }) => id.startsWith('responses'))
  shop = await openShop({ endpoints, ports: inferencePorts({ tiers }) })
})
after(async () => {
  await shop.close()
  upstream.close()
})

async function openClient(path: string): Promise<OpenAI> {
  const { over } = shop.stockClient(await shop.newPayer())
  return new OpenAI({
    apiKey: 'none',
    baseURL: `${shop.seller.url}${path}`,
    maxRetries: 0,
    fetch: over(fetch),
  })
}

const tools = [{ type: 'function' as const, name: 'look', parameters: { type: 'object' }, strict: false }]

test('the official SDK plays a tool loop of three steps, streamed, and each step costs the price of the tier', async () => {
  const openai = await openClient('/v1/_t/tier-3')
  const input: ResponseInputItem[] = [{ role: 'user', content: 'Look three times.' }]
  let text = ''
  const earned = await shop.earnedBy(async () => {
    for (let step = 0; step <= TOOL_CALLS; step++) {
      const events: ResponseStreamEvent[] = []
      const stream = await openai.responses.create({ model: 'any', input, tools, stream: true, store: false })
      for await (const event of stream) events.push(event)
      const end = events.at(-1)
      assert.ok(end?.type === 'response.completed')
      text = end.response.output_text ?? ''
      for (const item of end.response.output) {
        if (item.type === 'message')
          text = item.content.map((part) => ('text' in part ? part.text : '')).join('')
        if (item.type !== 'function_call') continue
        const { at } = JSON.parse(item.arguments) as { at: number }
        input.push(item, { type: 'function_call_output', call_id: item.call_id, output: `saw-${at}` })
      }
    }
  })
  assert.equal(text, 'saw-0 saw-1 saw-2')
  assert.equal(earned, PRICE * BigInt(TOOL_CALLS + 1))
})

test('a metered response is charged by the token', async () => {
  const openai = await openClient('/v1/_t/tier-3/upto')
  let cost: unknown
  const earned = await shop.earnedBy(async () => {
    const stream = await openai.responses.create({ model: 'any', input: 'Look.', tools, stream: true })
    for await (const event of stream)
      if (event.type === 'response.completed') cost = Reflect.get(event.response.usage ?? {}, 'cost_usd')
  })
  // 20 tokens at 0.08 and 4 at 0.32 dollars per million are 2.88 micro-dollars: the minimum applies.
  assert.equal(earned, parseUsd('0.001'))
  assert.equal(cost, 0.001)
})

test('previous_response_id is refused by name, before payment', async () => {
  const openai = await openClient('/v1/_t/tier-3')
  const earned = await shop.earnedBy(async () => {
    const refused = openai.responses.create({ model: 'any', input: 'x', previous_response_id: 'resp_1' })
    await assert.rejects(refused, { status: 400, param: 'previous_response_id' })
  })
  assert.equal(earned, 0n)
})
