import assert from 'node:assert/strict'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import type { ExampleRequest } from '@tollbook/testing/catalogue/example-requests'
import type { Shop } from '@tollbook/testing/paying/shop'

export type ExampleOrder = {
  readonly endpoint: Endpoint
  readonly request: ExampleRequest
}

/** Buys each; checks what each has cost by the sum charged after it, in micro-USDC. */
export async function buyAll(
  orders: readonly ExampleOrder[],
  shop: Shop,
  buy: typeof fetch,
  {
    chargeOf,
    check,
  }: {
    /** All that the buyer was charged so far. */
    readonly chargeOf: () => Promise<bigint>
    readonly check: (endpoint: Endpoint, charged: bigint) => void
  },
): Promise<void> {
  let before = 0n
  for (const { endpoint, request } of orders) {
    const response = await buy(`${shop.seller.url}${request.path}`, request.init)
    assert.ok(response.ok, `${endpoint.method} ${endpoint.path}: ${response.status}`)
    await response.body?.cancel()
    const charged = await chargeOf()
    check(endpoint, charged - before)
    before = charged
  }
  assert.ok(orders.length > 30, `${orders.length}`)
}
