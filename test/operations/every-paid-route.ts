import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { devKey } from '@tollbook/chain/dev-accounts'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import type { PaymentRequired } from '@tollbook/gate/challenge/payment-required'
import { toRequests } from '@tollbook/testing/catalogue/example-requests'
import type { Shop } from '@tollbook/testing/paying/shop'
import { openProtocol, type SigningProtocol } from '@tollbook/testing/payments/protocols'
import { signPayment } from '@tollbook/testing/payments/sign-payment'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import {
  type Forger,
  forgeSignatures,
  forgeSignedTerms,
  forgeTerms,
  forgeUptoTerms,
  lifetimesOutside,
} from '../attacks/forge-payments.ts'
import { createNativePayer } from '../crash/native-payer.ts'
import { openWholeShop } from '../paying/whole-shop.ts'
import { loadAll } from '../soak/errands.ts'

const catalogues = [...(await loadAll()).values()]
const payer = createNativePayer(devKey('forger'))
const other = createNativePayer(devKey('the forger’s friend'))
const REFUSALS = new Set(['payment_invalid', 'payment_malformed', 'payment_expired', 'payment_insufficient'])

let shop: Shop
before(async () => {
  shop = await openWholeShop(catalogues.flat())
  await shop.seller.chain.fundUsdc(payer.address, 10_000_000n)
})
after(() => shop?.close())

/** Every way to pay wrongly for what was offered, with a name. */
async function forgeAll(forger: Forger, cheaper: PaymentRequired) {
  const { offered } = forger
  const outside = Object.entries(lifetimesOutside(offered)).map(
    async ([name, lifetime]) => [name, await signPayment(payer, offered, lifetime)] as const,
  )
  const schemes = new Set(offered.accepts.map(({ scheme }) => scheme))
  return {
    ...(schemes.has('exact') && { ...(await forgeTerms(forger)), ...(await forgeSignatures(forger, other)) }),
    ...(schemes.has('upto') && (await forgeUptoTerms(forger, cheaper))),
    ...Object.fromEntries(await Promise.all(outside)),
    'the payment of a cheaper call': await signPayment(payer, cheaper),
    'a wallet without the money': await signPayment(other, offered),
    'no payment at all': 'e30=',
  }
}

/** These need what their operator sets up, and their own tests sell them. */
const NOT_CONFIGURED = new Set([
  '/api/search',
  '/api/translate-text',
  '/v1/audio/transcriptions',
  '/v1/audio/speech',
])
/** One tenth of a cent: nothing is sold for less. */
const CHEAPEST = '/api/a11y/contrast'

for (const all of catalogues) {
  const paid = all.filter(({ pricing }) => pricing.kind !== 'free')
  for (const endpoint of paid) {
    test(`${endpoint.method} ${endpoint.path} is bought by no forged payment`, async () => {
      const request = requestOf(endpoint, all)
      const asked = await shop.ask(request.path, undefined, request.init)
      await asked.body?.cancel()
      const header = asked.headers.get('payment-required')
      assert.equal(header === null, NOT_CONFIGURED.has(endpoint.path), `${asked.status}`)
      if (header === null) return assert.equal(asked.status, 503)
      const offered = decodePaymentRequiredHeader(header) as unknown as PaymentRequired
      const held = await shop.earned()
      const forger = { payer, offered, url: shop.seller.url }
      const cheaper = await shop.challenge(`${CHEAPEST}?fg=black&bg=white`)
      for (const [name, payment] of Object.entries(await forgeAll(forger, cheaper))) {
        // Routes at the same price are one: the request determines what is bought.
        if (name === 'the payment of a cheaper call' && priceOf(offered) === priceOf(cheaper)) continue
        const again = requestOf(endpoint, all)
        const response = await shop.ask(again.path, payment, again.init)
        const code = await readCode(response)
        assert.ok(REFUSALS.has(code), `${name}: ${response.status} ${code}`)
      }
      for (const protocol of protocolsOf(offered, asked)) {
        for (const [name, headers] of Object.entries(
          await forgeThrough(protocol, { ...forger, options: protocol.options }),
        )) {
          const again = requestOf(endpoint, all)
          const init = { ...again.init, headers: { ...again.init.headers, ...headers } }
          const code = await readCode(await shop.ask(again.path, undefined, init))
          assert.ok(REFUSALS.has(code), `${name}: ${code}`)
        }
      }
      assert.equal(await shop.earned(), held)
    })
  }
}

/** The other protocols in which the route is sold. */
function protocolsOf({ accepts: [terms] }: PaymentRequired, unpaid: Response): SigningProtocol[] {
  if (terms?.scheme !== 'exact') return []
  const names = unpaid.headers.has('www-authenticate') ? PROTOCOLS : PROTOCOLS.slice(0, 1)
  return names.map((name) => openProtocol(name, unpaid))
}

const PROTOCOLS = ['x402 version 1', 'MPP'] as const

/** Every way to pay wrongly in a protocol whose payments repeat no terms: headers, with a name. */
async function forgeThrough(
  protocol: SigningProtocol,
  forger: Forger,
): Promise<Record<string, Record<string, string>>> {
  const { offered } = forger
  const outside = Object.entries(lifetimesOutside(offered)).map(
    async ([name, lifetime]) =>
      [name, await signPayment(payer, offered, { ...protocol.options, ...lifetime })] as const,
  )
  const forged = {
    ...(await forgeSignedTerms(forger)),
    ...(await forgeSignatures(forger, other)),
    ...Object.fromEntries(await Promise.all(outside)),
    'a wallet without the money': await signPayment(other, offered, protocol.options),
  }
  return Object.fromEntries(
    Object.entries(forged).map(([name, payment]) => [name, protocol.headers(payment)]),
  )
}

function priceOf({ accepts: [terms] }: PaymentRequired): string {
  return `${terms?.scheme} ${terms?.amount}`
}

function requestOf(endpoint: Endpoint, all: readonly Endpoint[]) {
  const [request] = toRequests(endpoint, all)
  if (!request) throw new Error(`${endpoint.id} takes no request`)
  return request
}

/** Of a problem, or of one in the envelope of a dialect. */
async function readCode(response: Response): Promise<string> {
  assert.equal(response.headers.get('payment-response'), null)
  const { code, problem } = (await response.json()) as { code?: string; problem?: { code: string } }
  return code ?? problem?.code ?? 'none'
}
