import assert from 'node:assert/strict'
import { test } from 'node:test'
import { x402ResourceServer } from '@x402/core/server'
import type { SupportedResponse } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { UptoEvmScheme } from '@x402/evm/upto/server'
import { declareEip2612GasSponsoringExtension } from '@x402/extensions'
import { validateDiscoveryExtension, validateDiscoveryExtensionSpec } from '@x402/extensions/bazaar'
import * as z from 'zod'
import { BASE } from '../../money/base.ts'
import { json } from '../answer.ts'
import { defineEndpoint, type Endpoint, type Pricing } from '../endpoint.ts'
import type { Service } from '../service.ts'
import { buildPaymentTerms, type SellerTerms } from '../terms.ts'
import { buildChallenge, type Challenge, GAS_SPONSORING } from './payment-required.ts'

/** Lower case, as in the settings; 0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359 is an example of EIP-55. */
const PAY_TO = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359'
const CHECKSUMMED_PAY_TO = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'
const FACILITATOR = '0xdbf03b407c01e7cd3cbea99509d93f8dddc8c6fb'
const CHECKSUMMED_FACILITATOR = '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB'

const seller: SellerTerms = {
  network: BASE.network,
  asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  assetName: BASE.usdcName,
  assetVersion: BASE.usdcVersion,
  payTo: PAY_TO,
  facilitatorAddress: FACILITATOR,
}
const service: Service = {
  name: 'utility',
  title: 'Tollbook utilities',
  description: 'Utilities.',
  baseUrl: 'https://utility.example',
  endpoints: [],
  ports: {},
}

function endpointOf(pricing: Pricing, example: unknown = { text: 'hi' }): Endpoint {
  return defineEndpoint({
    id: 'echo',
    method: 'GET',
    path: '/api/echo',
    pricing,
    summary: 'Echo',
    description: 'Says what it is told.',
    input: z.object({ text: z.string().max(100).describe('What to say.') }),
    output: z.unknown(),
    example: { input: { text: 'hi' }, output: example },
    limits: { bodyBytes: 1000, timeoutMs: 45_000 },
    handle: () => json({}),
  })
}
const exact = (priceUsd: string): Pricing => ({ kind: 'exact', priceUsd })

/** The resource server that sellers commonly use, with a facilitator that supports both schemes. */
async function stockServer(): Promise<x402ResourceServer> {
  const supported: SupportedResponse = {
    kinds: [
      { x402Version: 2, scheme: 'exact', network: BASE.network },
      { x402Version: 2, scheme: 'upto', network: BASE.network, extra: { facilitatorAddress: FACILITATOR } },
    ],
    extensions: [],
    signers: { 'eip155:*': [FACILITATOR] },
  }
  const unused = () => Promise.reject(new Error('only asked what it supports'))
  const server = new x402ResourceServer({
    verify: unused,
    settle: unused,
    getSupported: () => Promise.resolve(supported),
  })
  server.register(BASE.network, new ExactEvmScheme()).register(BASE.network, new UptoEvmScheme())
  await server.initialize()
  return server
}

test('requirements equal those of the stock resource server, for every price and both schemes', async () => {
  const server = await stockServer()
  for (const price of ['0.001', '0.002237', '0.0025', '0.01', '0.07', '1', '12.345678']) {
    const metered: Pricing = { kind: 'metered', priceUsd: price, minimumUsd: '0.001', isExactFirst: true }
    const ours = buildPaymentTerms(endpointOf(metered), seller)
    const stock = []
    for (const scheme of ['exact', 'upto'] as const) {
      const config = {
        scheme,
        network: BASE.network,
        payTo: CHECKSUMMED_PAY_TO,
        price: `$${price}`,
        // The handler takes 45 seconds; for an answer sent before settlement, an outage of two minutes must
        // not outlast the authorization.
        maxTimeoutSeconds: scheme === 'exact' ? 75 : 195,
      }
      stock.push(...(await server.buildPaymentRequirements(config)))
    }
    assert.deepEqual(ours, stock)
  }
})

test('addresses are checksummed, and an answer sent before settlement leaves 150 seconds to settle', () => {
  const metered: Pricing = { kind: 'metered', priceUsd: '0.01', minimumUsd: '0.001', isExactFirst: false }
  assert.deepEqual(buildPaymentTerms(endpointOf(metered), seller), [
    {
      scheme: 'upto',
      network: 'eip155:8453',
      // 0.01 dollars are 10,000 micro-USDC.
      amount: '10000',
      asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      payTo: CHECKSUMMED_PAY_TO,
      maxTimeoutSeconds: 195,
      extra: {
        name: 'USD Coin',
        version: '2',
        assetTransferMethod: 'permit2',
        facilitatorAddress: CHECKSUMMED_FACILITATOR,
      },
    },
  ])
})

test('without a facilitator address only exact is offered, and a purely metered endpoint is unavailable', () => {
  const { facilitatorAddress: _, ...without } = seller
  const metered = (isExactFirst: boolean): Pricing => ({
    kind: 'metered',
    priceUsd: '0.01',
    minimumUsd: '0.001',
    isExactFirst,
  })
  const schemes = buildPaymentTerms(endpointOf(metered(true)), without).map((terms) => terms.scheme)
  assert.deepEqual(schemes, ['exact'])
  assert.throws(() => buildChallenge(endpointOf(metered(false)), service, without), /has no payment option/)
})

function bazaarOf(challenge: Challenge): Parameters<typeof validateDiscoveryExtension>[0] {
  return challenge.paymentRequired.extensions.bazaar as Parameters<typeof validateDiscoveryExtension>[0]
}

test('the header is the challenge in base64, and its discovery metadata is valid', () => {
  const challenge = buildChallenge(endpointOf(exact('0.001')), service, seller)
  assert.deepEqual(JSON.parse(Buffer.from(challenge.header, 'base64').toString()), challenge.paymentRequired)
  assert.deepEqual(challenge.paymentRequired.resource, {
    url: 'https://utility.example/api/echo',
    description: 'Says what it is told.',
    mimeType: 'application/json',
    serviceName: 'Tollbook utilities',
  })
  assert.deepEqual(validateDiscoveryExtension(bazaarOf(challenge)), { valid: true })
  assert.deepEqual(validateDiscoveryExtensionSpec(bazaarOf(challenge) as never), { valid: true })
  assert.deepEqual(bazaarOf(challenge).info, {
    input: { type: 'http', method: 'GET', queryParams: { text: 'hi' } },
    output: { type: 'json', example: { text: 'hi' } },
  })
})

test('an example too long for the header is shortened, then omitted', () => {
  const long = { svg: 'x'.repeat(10_000), rows: [1, 2, 3] }
  const shortened = buildChallenge(endpointOf(exact('0.001'), long), service, seller)
  assert.ok(shortened.header.length < 6000)
  assert.deepEqual(bazaarOf(shortened).info.output?.example, { svg: `${'x'.repeat(60)}…`, rows: [1] })
  const wide = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`field${at}`, at]))
  const without = buildChallenge(endpointOf(exact('0.001'), wide), service, seller)
  assert.ok(without.header.length < 6000)
  assert.deepEqual(bazaarOf(without).info.output, { type: 'json' })
  assert.deepEqual(validateDiscoveryExtension(bazaarOf(without)), { valid: true })
})

test('path parameters and a whole body are declared separately', () => {
  const put = defineEndpoint({
    id: 'rows.put',
    method: 'PUT',
    path: '/api/rows/{row}',
    pricing: exact('0.005'),
    summary: 'Put a row',
    description: 'Puts a row.',
    input: z.object({ row: z.string(), body: z.array(z.number()) }),
    output: z.unknown(),
    example: { input: { row: 'a', body: [1] }, output: {} },
    limits: { bodyBytes: 1000, timeoutMs: 1000 },
    handle: () => json({}),
  })
  const challenge = buildChallenge(put, service, seller)
  const bazaar = bazaarOf(challenge)
  assert.equal(challenge.paymentRequired.resource.url, 'https://utility.example/api/rows/:row')
  assert.equal('routeTemplate' in bazaar && bazaar.routeTemplate, '/api/rows/:row')
  assert.deepEqual(bazaar.info.input, {
    type: 'http',
    method: 'PUT',
    bodyType: 'json',
    body: [1],
    pathParams: { row: 'a' },
  })
  assert.deepEqual(validateDiscoveryExtension(bazaar), { valid: true })
})

test('the permit extension has the wording of the stock package, where upto is offered', () => {
  assert.deepEqual(GAS_SPONSORING, declareEip2612GasSponsoringExtension())
  const metered: Pricing = { kind: 'metered', priceUsd: '0.01', minimumUsd: '0.001', isExactFirst: true }
  const keys = (pricing: Pricing) =>
    Object.keys(buildChallenge(endpointOf(pricing), service, seller).paymentRequired.extensions)
  assert.deepEqual(keys(exact('0.01')), ['bazaar', 'payment-identifier'])
  assert.deepEqual(keys(metered), ['bazaar', 'payment-identifier', 'eip2612GasSponsoring'])
})
