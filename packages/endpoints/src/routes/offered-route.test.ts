import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BASE } from '@tollbook/chain/network'
import {
  buildChallenge,
  type Challenge,
  encodePaymentRequired,
  GAS_SPONSORING,
  type PaymentRequired,
} from '@tollbook/gate/challenge/payment-required'
import type { Pricing } from '@tollbook/gate/contract/paid-route'
import {
  createOfferSigner,
  OFFER_RECEIPT,
  signOffers,
  toOffersExtension,
} from '@tollbook/gate/contract/signed-offers'
import { buildPaymentTerms, type SellerTerms } from '@tollbook/gate/contract/terms'
import { fc, slowRuns } from '@tollbook/testing/property'
import { x402ResourceServer } from '@x402/core/server'
import type { SupportedResponse } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { UptoEvmScheme } from '@x402/evm/upto/server'
import { declareEip2612GasSponsoringExtension } from '@x402/extensions'
import { validateDiscoveryExtension, validateDiscoveryExtensionSpec } from '@x402/extensions/bazaar'
import * as z from 'zod'
import { json } from '../answer.ts'
import { defineEndpoint, type Endpoint } from '../endpoint.ts'
import type { Service } from '../service.ts'
import { toOfferedRoute } from './offered-route.ts'

const KEY = `0x${'5a'.repeat(32)}` as const
/** Lower case, as in the settings; 0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359 is an example of EIP-55. */
const PAY_TO = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359'
const CHECKSUMMED_PAY_TO = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'
const FACILITATOR = '0xdbf03b407c01e7cd3cbea99509d93f8dddc8c6fb'
const CHECKSUMMED_FACILITATOR = '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB'

const seller: SellerTerms = {
  network: BASE.id,
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
const offer = (endpoint: Endpoint) => toOfferedRoute(service, endpoint)
const exact = (priceUsd: string): Pricing => ({ kind: 'exact', priceUsd })

/** The resource server that sellers commonly use, with a facilitator that supports both schemes. */
async function stockServer(): Promise<x402ResourceServer> {
  const supported: SupportedResponse = {
    kinds: [
      { x402Version: 2, scheme: 'exact', network: BASE.id },
      { x402Version: 2, scheme: 'upto', network: BASE.id, extra: { facilitatorAddress: FACILITATOR } },
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
  server.register(BASE.id, new ExactEvmScheme()).register(BASE.id, new UptoEvmScheme())
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
        network: BASE.id,
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
  assert.throws(() => buildChallenge(offer(endpointOf(metered(false))), without), /has no payment option/)
})

const infoOf = ({ extensions }: PaymentRequired) =>
  (extensions.bazaar as Parameters<typeof validateDiscoveryExtension>[0]).info

function bazaarOf(challenge: Challenge): Parameters<typeof validateDiscoveryExtension>[0] {
  return challenge.paymentRequired.extensions.bazaar as Parameters<typeof validateDiscoveryExtension>[0]
}

test('the header is the challenge in base64, and its discovery metadata is valid', () => {
  const challenge = buildChallenge(offer(endpointOf(exact('0.001'))), seller)
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

test('catalogues see an example that a header has no room for, in full up to 6,000 bytes', () => {
  const rows = Array.from({ length: 40 }, (_, at) => ({
    id: at,
    name: `The row with the number ${at}, in full`,
  }))
  const { full, paymentRequired } = buildChallenge(offer(endpointOf(exact('0.001'), { rows })), seller)
  assert.deepEqual(infoOf(full).output?.example, { rows })
  assert.notDeepEqual(infoOf(paymentRequired).output?.example, { rows })
  const long = { svg: 'x'.repeat(10_000), rows: [1, 2, 3] }
  const cut = buildChallenge(offer(endpointOf(exact('0.001'), long)), seller)
  assert.deepEqual(infoOf(cut.full).output?.example, { svg: `${'x'.repeat(40)}…`, rows: [1] })
  const wide = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`field${at}`, at]))
  const without = buildChallenge(offer(endpointOf(exact('0.001'), wide)), seller)
  assert.deepEqual(infoOf(without.full).output, { type: 'json' })
})

test('however little room the header has, no part of it takes the room of an earlier one', () => {
  const described = 'Says what it is told. Never more than that.'
  const offering = { ...seller, signer: createOfferSigner(KEY) }
  const labelled = { ...service, profile: { tags: ['speech', 'echo'] } }
  const seen = new Set<string>()
  for (let headerBytes = 0; headerBytes < 2_500; headerBytes += 12) {
    const build = (description: string, by: Service, terms: SellerTerms) =>
      buildChallenge(toOfferedRoute(by, { ...endpointOf(exact('0.001')), description }), terms, {
        headerBytes,
        signInBytes: 0,
      })
    const made = build(described, labelled, offering)
    const { paymentRequired, full, headerOffers } = made
    assert.deepEqual(paymentRequired.accepts, full.accepts)
    assert.deepEqual(validateDiscoveryExtension(bazaarOf(made)), { valid: true })
    assert.equal(headerOffers, build('', service, offering).headerOffers)
    const { description } = paymentRequired.resource
    assert.equal(description, build(described, service, offering).paymentRequired.resource.description)
    seen.add(`${headerOffers}: ${description}`)
    if (headerOffers === 0) break
  }
  for (const shown of [`1: ${described}`, '1: Says what it is told.', '1: undefined'])
    assert.ok(seen.has(shown), [...seen].join('; '))
})

/** With the other headers of a 402: 490 bytes, and that of MPP. */
function headOf(required: PaymentRequired, headerBytes: number): number {
  return encodePaymentRequired(required).length + 490 + headerBytes
}

test('whatever an operator sets, the head of a 402 has at most 4,000 bytes, with room for a reason where it refuses', async () => {
  const settings = fc.record({
    host: fc.integer({ min: 4, max: 200 }),
    sentences: fc.array(fc.string({ minLength: 1, maxLength: 80 }), { maxLength: 6 }),
    tags: fc.array(fc.string({ minLength: 1, maxLength: 32 }), { maxLength: 5 }),
    headerBytes: fc.integer({ min: 0, max: 650 }),
    isSigned: fc.boolean(),
  })
  const channels = { receiverAuthorizer: PAY_TO, withdrawDelay: 2_592_000 } as const
  const property = fc.asyncProperty(settings, async ({ host, sentences, tags, headerBytes, isSigned }) => {
    const endpoint = { ...endpointOf(exact('0.01')), description: sentences.join('. ').slice(0, 240) }
    const own = { ...service, baseUrl: `https://${'h'.repeat(host)}.example`, profile: { tags } }
    const signer = isSigned ? createOfferSigner(KEY) : undefined
    const besides = { headerBytes, signInBytes: 0 }
    const made = buildChallenge(toOfferedRoute(own, endpoint), { ...seller, signer, channels }, besides)
    const { paymentRequired, brief, headerOffers, full } = made
    assert.ok(full.resource.description.startsWith(paymentRequired.resource.description ?? ''))
    const offered = { url: full.resource.url, accepts: full.accepts }
    const signed = signer ? await signOffers(signer, offered, 1_800_000_000) : []
    const offers = toOffersExtension(signed.slice(0, headerOffers))
    const extensions = { ...paymentRequired.extensions, ...(headerOffers > 0 && { [OFFER_RECEIPT]: offers }) }
    assert.ok(headOf({ ...paymentRequired, extensions }, headerBytes) <= 4_000)
    assert.ok(headOf({ ...brief, error: 'x'.repeat(540) }, headerBytes) <= 4_000)
  })
  await fc.assert(property, { numRuns: slowRuns(300) })
})

test('an endpoint whose terms fit in no header is not sold', () => {
  const besides = { headerBytes: 3_000, signInBytes: 0 }
  assert.throws(
    () => buildChallenge(offer(endpointOf(exact('0.01'))), seller, besides),
    /echo: its terms and declaration do not fit into PAYMENT-REQUIRED/,
  )
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
  const challenge = buildChallenge(offer(put), seller)
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

test('the permit extension has what the stock package requires, where upto is offered', () => {
  const stock = declareEip2612GasSponsoringExtension().eip2612GasSponsoring
  assert.ok(stock)
  const { info, schema } = GAS_SPONSORING.eip2612GasSponsoring
  assert.deepEqual(info, stock.info)
  assert.deepEqual(schema.required, stock.schema.required)
  const metered: Pricing = { kind: 'metered', priceUsd: '0.01', minimumUsd: '0.001', isExactFirst: true }
  const keys = (pricing: Pricing) =>
    Object.keys(buildChallenge(offer(endpointOf(pricing)), seller).paymentRequired.extensions)
  assert.deepEqual(keys(exact('0.01')), ['bazaar', 'payment-identifier'])
  assert.deepEqual(keys(metered), ['bazaar', 'payment-identifier', 'eip2612GasSponsoring'])
})
