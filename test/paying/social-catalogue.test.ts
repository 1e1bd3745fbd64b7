import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parseUsd } from '@tollbook/chain/usdc'
import { listingPrice } from '@tollbook/endpoints/documents/listing'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { loadEndpoints } from '@tollbook/endpoints/load'
import { issueSession } from '@tollbook/social/session/session-store'
import { seedSample } from '@tollbook/social/source/store/seed-sample'
import { toRequests } from '@tollbook/testing/catalogue/example-requests'
import { type Customer, openShop, refusalOf, type Shop } from '@tollbook/testing/paying/shop'
import { socialPorts, testSessionKeys } from '@tollbook/testing/social/open-social'

type Input = Readonly<Record<string, unknown>>

const all = await loadEndpoints(new URL('../../apps/social/src/', import.meta.url))
const paid = all.filter(({ pricing }) => pricing.kind !== 'free')
const now = new Date()

let shop: Shop
let payer: Customer
let session: { readonly authToken: string; readonly ct0: string }
before(async () => {
  shop = await openShop({ endpoints: all, portsOf: socialPorts })
  await seedSample(shop.seller.state, now)
  const place = { state: shop.seller.state, keys: testSessionKeys }
  session = await issueSession(place, { userId: '9000000000000000015', grant: null, now })
  payer = await shop.newPayer(1_000_000n)
})
after(() => shop?.close())

/** The example's input with a session of this store instead of the invented one. */
function inputOf({ example }: Endpoint): Input {
  const { authToken: auth_token, ct0 } = session
  const input = example.input as Input
  return { ...input, ...('auth_token' in input && { auth_token }), ...('ct0' in input && { ct0 }) }
}

/** Sends a request with a payment for it; returns the answer and its cost in micro-USDC. */
async function pay(endpoint: Endpoint, input: Input, query = '') {
  const [request] = toRequests(endpoint, all, input)
  assert.ok(request)
  const path =
    query === '' ? request.path : `${request.path}${request.path.includes('?') ? '&' : '?'}${query}`
  const held = await shop.balanceOf(payer.address)
  const payment = await shop.sign(payer, path, { method: request.method })
  const response = await shop.ask(path, payment, request.init)
  return { response, charged: held - (await shop.balanceOf(payer.address)) }
}

test('all nineteen endpoints of the specification are sold', () => {
  assert.equal(paid.length, 19)
})

for (const endpoint of paid) {
  const title = `${endpoint.method} ${endpoint.path}`

  test(`${title} answers its example from the store, for exactly its price`, async () => {
    const { response, charged } = await pay(endpoint, inputOf(endpoint))
    assert.ok(response.ok, `${response.status}`)
    endpoint.output.parse(await response.json())
    assert.equal(charged, parseUsd(listingPrice(endpoint)))
  })

  test(`${title} charges nothing for an unknown parameter`, async () => {
    const { response, charged } = await pay(endpoint, inputOf(endpoint), 'no_such_parameter=1')
    assert.deepEqual([await refusalOf(response), charged], ['unknown_parameter', 0n])
  })

  if ('id' in endpoint.input.shape)
    test(`${title} charges nothing for an id that does not exist`, async () => {
      const { response, charged } = await pay(endpoint, { id: '42' })
      assert.deepEqual([await refusalOf(response), charged], ['not_found', 0n])
    })
}
