import assert from 'node:assert/strict'
import { type IncomingMessage, request } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { loadEndpoints } from '@tollbook/endpoints/load'
import { openTiers } from '@tollbook/models/tiers/open-tiers'
import { tierFile } from '@tollbook/models/tiers/tier-file'
import { inferencePorts } from '@tollbook/testing/inference/inference-ports'
import { patientHealth } from '@tollbook/testing/inference/patient-health'
import {
  sendJson,
  sendPieces,
  startChatUpstream,
  type TestUpstream,
  toChunk,
  toCompletion,
  toEvent,
  toUsageChunk,
} from '@tollbook/testing/models/chat-upstream'
import { type Customer, openShop, type Shop } from '@tollbook/testing/paying/shop'
import { decodePaymentResponseHeader } from '@x402/core/http'
import OpenAI from 'openai'

const USED = { prompt_tokens: 20_000, completion_tokens: 1_000, total_tokens: 21_000 }
/** Micro-USDC at the rates of each tier: 20,000 tokens of input and 1,000 of output. */
const COST: Readonly<Record<string, bigint>> = {
  'tier-2': 1_800n + 360n,
  'tier-3': 1_600n + 320n,
  'tier-4': 5_000n + 1_000n,
  'tier-5': 6_000n + 1_500n,
  'tier-6': 5_400n + 1_080n,
  'tier-8': 8_000n + 1_600n,
  'tier-10': 5_600n + 1_120n,
}
/** 25,000 bytes, so that 20,000 tokens are below the bound. */
const messages = [{ role: 'user' as const, content: 'word '.repeat(5_000) }]
const model = 'any'

let upstream: TestUpstream
let shop: Shop
let payer: Customer
let paying: typeof fetch
before(async () => {
  upstream = await startChatUpstream()
  const upstreams = [{ base_url: upstream.url, model: 'm' }]
  const tiers = Object.fromEntries(Object.keys(COST).map((name) => [name, { upstreams }]))
  const opened = await openTiers(tierFile.parse({ tiers }), { userAgent: 'test', health: patientHealth })
  const all = await loadEndpoints(new URL('../../apps/inference/src/', import.meta.url))
  const endpoints = all.filter(({ id }) => id.startsWith('chat.') && id.endsWith('.upto'))
  shop = await openShop({ endpoints, ports: inferencePorts({ tiers: opened }) })
  payer = await shop.newPayer()
  await shop.allowPermit2(payer)
  paying = shop.stockClient(payer).over(fetch)
})
after(async () => {
  await shop.close()
  upstream.close()
})

const stream = [
  ...[{ role: 'assistant', content: '' }, { content: 'Hello' }, { content: ' you' }].map((delta) =>
    toChunk(delta),
  ),
  toChunk({}, 'stop'),
  toUsageChunk(USED.prompt_tokens, USED.completion_tokens),
].map(toEvent)

async function costOf(work: () => Promise<void>): Promise<bigint> {
  const before = await shop.balanceOf(payer.address)
  await work()
  return before - (await shop.balanceOf(payer.address))
}

const sdk = (base: string) =>
  new OpenAI({
    apiKey: 'none',
    baseURL: `${shop.seller.url}${base}`,
    maxRetries: 0,
    fetch: paying,
  })

for (const [tier, cost] of Object.entries(COST)) {
  const places = [
    [`/v1/chat/completions/_t/${tier}/upto`, '/v1', `/chat/completions/_t/${tier}/upto`],
    [`/v1/_t/${tier}/upto/chat/completions`, `/v1/_t/${tier}/upto`, '/chat/completions'],
  ] as const
  for (const [path, base, place] of places) {
    test(`the official SDK buys a whole answer and a stream at ${path}, each for what it used`, async () => {
      const openai = sdk(base)
      upstream.answerWith(sendJson(toCompletion({ content: 'Hello you' }, 'stop', USED)))
      const whole = await costOf(async () => {
        const answer = await openai.post<OpenAI.ChatCompletion>(place, { body: { model, messages } })
        assert.equal(answer.choices[0]?.message.content, 'Hello you')
        assert.deepEqual(answer.usage, { ...USED, cost_usd: Number(cost) / 1_000_000 })
      })
      upstream.answerWith(sendPieces([...stream, 'data: [DONE]\n\n']))
      const live = await costOf(async () => {
        const body = { model, messages, stream: true, stream_options: { include_usage: true } }
        const chunks = await openai.post<AsyncIterable<OpenAI.ChatCompletionChunk>>(place, {
          body,
          stream: true,
        })
        let said = ''
        let usage: unknown
        for await (const chunk of chunks) {
          said += chunk.choices[0]?.delta.content ?? ''
          usage = chunk.usage ?? usage
        }
        assert.equal(said, 'Hello you')
        assert.deepEqual(usage, { ...USED, cost_usd: Number(cost) / 1_000_000 })
      })
      assert.deepEqual([whole, live], [cost, cost])
    })
  }
}

test('the receipt of a stream is before [DONE], in the trailer, and under its id', async () => {
  upstream.answerWith(sendPieces([...stream, 'data: [DONE]\n\n']))
  const path = '/v1/chat/completions/_t/tier-8/upto'
  const payment = await shop.sign(payer, path, { method: 'POST' })
  const { promise, resolve } = Promise.withResolvers<IncomingMessage>()
  request(
    `${shop.seller.url}${path}`,
    { method: 'POST', headers: { 'content-type': 'application/json', 'payment-signature': payment } },
    resolve,
  ).end(JSON.stringify({ messages, stream: true }))
  const response = await promise
  assert.equal(response.statusCode, 200)
  const text = await readText(response)
  const [, comment = ''] = /\n: payment-response (\S+)\n\ndata: \[DONE\]\n\n$/.exec(text) ?? []
  assert.equal(response.trailers['payment-response'], comment)
  // The client did not request the counts.
  assert.doesNotMatch(text, /"usage"/)
  const { success, amount, transaction } = decodePaymentResponseHeader(comment)
  assert.deepEqual([success, amount], [true, `${COST['tier-8']}`])
  const id = response.headers['tollbook-receipt']
  const receipt = await (await fetch(`${shop.seller.url}/v1/receipts/${id}`)).json()
  const { state, amount: kept, signedAmount, transaction: hash } = receipt as Record<string, unknown>
  assert.deepEqual([state, kept, signedAmount, hash], ['settled', amount, '19977', transaction])
})
