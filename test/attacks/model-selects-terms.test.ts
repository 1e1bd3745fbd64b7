import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { parseUsd } from '@tollbook/chain/usdc'
import type { loadEndpoints } from '@tollbook/endpoints/load'
import type { PaymentRequired } from '@tollbook/gate/challenge/payment-required'
import { defineOtherMessagesNames } from '@tollbook/inference/define-other-names'
import { loadMessagesEndpoints } from '@tollbook/inference/messages/mounted-endpoints'
import { createInferenceService } from '@tollbook/inference/service'
import { openTiers } from '@tollbook/models/tiers/open-tiers'
import { tierFile } from '@tollbook/models/tiers/tier-file'
import { inferencePorts } from '@tollbook/testing/inference/inference-ports'
import { patientHealth } from '@tollbook/testing/inference/patient-health'
import { startChatUpstream, type TestUpstream } from '@tollbook/testing/models/chat-upstream'
import { inWorld, type Process, receiptOf, type World } from '@tollbook/testing/payments/gate-world'
import { type Payer, signPayment } from '@tollbook/testing/payments/sign-payment'
import { decodePaymentRequiredHeader } from '@x402/core/http'

const CHAT = '/v1/chat/completions'
const RESPONSES = '/v1/responses'
const MESSAGES = '/v1/messages'
/** Specification 4.5. */
const PRICES: Readonly<Record<string, string>> = {
  default: '0.002856',
  'tier-1': '0.002',
  'tier-6': '0.007016',
  'tier-7': '0.007016',
  'tier-15': '0.037526',
}

let upstream: TestUpstream
let ports: ReturnType<typeof inferencePorts>
let endpoints: Awaited<ReturnType<typeof loadEndpoints>>
before(async () => {
  upstream = await startChatUpstream()
  const upstreams = [{ base_url: upstream.url, model: 'm' }]
  const tiers = Object.fromEntries(
    Object.keys(PRICES).map((name) => [name, { upstreams, aliases: name === 'tier-15' ? ['best'] : [] }]),
  )
  ports = inferencePorts({
    tiers: await openTiers(tierFile.parse({ tiers }), { userAgent: 'test', health: patientHealth }),
  })
  const service = await createInferenceService({ baseUrl: 'https://gate.example', ports })
  const all = [
    ...service.endpoints,
    ...(await loadMessagesEndpoints()),
    ...defineOtherMessagesNames(ports.tiers),
  ]
  endpoints = all.filter(({ id }) => /^(chat|responses|messages)/.test(id) && id !== 'messages.count-tokens')
})
after(async () => {
  await ports.workers.close()
  upstream.close()
})

/** A chat, or the same as a response. */
const bodyOf = (path: string, model: string | undefined, more: object = {}) =>
  JSON.stringify({
    ...(path !== RESPONSES
      ? { messages: [{ role: 'user', content: 'hello there' }] }
      : { input: 'hello there' }),
    ...(path === MESSAGES && { max_tokens: 100 }),
    ...more,
    ...(model !== undefined && { model }),
  })

const open = (world: World, unpaidPerMinute = 100_000) =>
  world.startProcess({}, unpaidPerMinute, endpoints, ports)

function post({ fetch }: Process, path: string, body: string | undefined, payment?: string) {
  return fetch(path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(body !== undefined && { 'content-length': `${Buffer.byteLength(body)}` }),
      ...(payment && { 'payment-signature': payment }),
    },
    ...(body !== undefined && { body }),
  })
}

const termsOf = (response: Response) =>
  decodePaymentRequiredHeader(response.headers.get('payment-required') ?? '') as unknown as PaymentRequired

const signed = (payer: Payer, world: World, terms: PaymentRequired) =>
  signPayment(payer, terms, { now: Math.floor(world.now() / 1000) })

inWorld('the 402 has the price of the model in its body, and its payment buys that model', async (world) => {
  const process = await open(world)
  for (const path of [CHAT, RESPONSES, MESSAGES])
    for (const [model, priceUsd] of [...Object.entries(PRICES), ['best', '0.037526'] as const]) {
      const payer = world.newPayer()
      const body = bodyOf(path, model)
      const terms = termsOf(await post(process, path, body))
      assert.equal(terms.accepts[0]?.amount, `${parseUsd(priceUsd)}`, `${path} ${model}`)
      const payment = await signed(payer, world, terms)
      const answer = await post(process, path, body, payment)
      assert.deepEqual([answer.status, ((await answer.json()) as { model: string }).model], [200, model])
      assert.equal(receiptOf(answer)?.success, true)
      assert.equal(1_000_000n - world.chain.balanceOf(payer.address), parseUsd(priceUsd))
      // The same request with the same payment is answered again, and charged once.
      assert.equal((await post(process, path, body, payment)).status, 200)
      assert.equal(1_000_000n - world.chain.balanceOf(payer.address), parseUsd(priceUsd))
    }
})

inWorld('a payment for one model never buys another of another price', async (world) => {
  const process = await open(world)
  const names = Object.keys(PRICES)
  const asked = upstream.calls.length
  for (const path of [CHAT, RESPONSES, MESSAGES])
    for (const paid of names)
      for (const wanted of names.filter((name) => PRICES[name] !== PRICES[paid])) {
        const payer = world.newPayer()
        const terms = termsOf(await post(process, path, bodyOf(path, paid)))
        const payment = await signed(payer, world, terms)
        const refused = await post(process, path, bodyOf(path, wanted), payment)
        assert.equal(refused.status, 402, `${paid} for ${wanted} at ${path}`)
        assert.equal(termsOf(refused).accepts[0]?.amount, `${parseUsd(PRICES[wanted] ?? '')}`)
        // JSON.parse keeps the last of two members.
        const twice = bodyOf(path, wanted).replace('{', `{"model":"${paid}",`)
        assert.equal((await post(process, path, twice, payment)).status, 402)
        assert.equal(world.chain.balanceOf(payer.address), 1_000_000n)
      }
  assert.equal(upstream.calls.length, asked)
})

inWorld(
  'without a body, with an unknown model and with a body above 4 MiB, a 402 explains its terms',
  async (world) => {
    const process = await open(world)
    const long = bodyOf(CHAT, 'tier-15', {
      user: 'x',
      messages: [{ role: 'user', content: 'x'.repeat(4_194_304) }],
    })
    for (const body of [
      undefined,
      '{',
      bodyOf(CHAT, undefined),
      bodyOf(CHAT, 'gpt-4.1'),
      bodyOf(CHAT, 'tier-2/none'),
      long,
    ]) {
      const unpaid = await post(process, CHAT, body)
      assert.equal(unpaid.status, 402)
      assert.equal(termsOf(unpaid).accepts[0]?.amount, `${parseUsd('0.002856')}`)
      assert.match(await unpaid.text(), /A model that is an id of \/v1\/models selects its terms; these are/)
    }
    // Their payment does not buy the model that the long body names, either.
    const payer = world.newPayer()
    const payment = await signed(payer, world, termsOf(await post(process, CHAT, long)))
    const refused = await post(process, CHAT, long, payment)
    assert.deepEqual([refused.status, termsOf(refused).accepts[0]?.amount], [402, `${parseUsd('0.037526')}`])
    assert.equal(world.chain.balanceOf(payer.address), 1_000_000n)
  },
)

inWorld('a tier without a model is refused before payment', async (world) => {
  const process = await open(world)
  const refused = await post(process, CHAT, bodyOf(CHAT, 'tier-9'))
  assert.deepEqual(
    [refused.status, ((await refused.json()) as { problem: { code: string } }).problem.code],
    [503, 'not_configured'],
  )
})

inWorld('unpaid bodies are charged to the budget of their client', async (world) => {
  // Specification of the budget: one token a request and one for each 16 KiB.
  const process = await open(world, 300)
  const body = bodyOf(CHAT, 'tier-15', { messages: [{ role: 'user', content: 'x'.repeat(4_000_000) }] })
  assert.equal((await post(process, CHAT, body)).status, 402)
  // 4,000,000 / 16,384 is 244: 55 of 300 are left, which the next body overdraws.
  assert.equal((await post(process, CHAT, body)).status, 402)
  assert.equal((await post(process, CHAT, body)).status, 429)
})
