import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { decodePaymentResponseHeader } from '@x402/core/http'
import type { Hex } from 'viem'
import { formatUsd } from '../../src/money/usdc.ts'
import { calc } from '../../src/utility/endpoints/api/calc/endpoint.ts'
import { openShop, type Shop } from './shop.ts'

const KEY = 'operator-key-of-a-test'
const DAY_MS = 24 * 60 * 60_000

let shop: Shop
before(async () => {
  shop = await openShop({
    endpoints: [calc],
    // One dollar for an ETH: gas has a price, and the dev chain's fees do not stop the sale.
    settings: { TOLLBOOK_OPERATOR_KEY: KEY, TOLLBOOK_ETH_USD: '1' },
  })
})
after(() => shop?.close())

const request = (query = '', authorization = `Bearer ${KEY}`) =>
  fetch(`${shop.seller.url}/operator/summary.json${query}`, { headers: { authorization } })

/** A date in UTC, this many days from now. */
const dayFromNow = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)

test('the operator reads revenue and gas cost of each endpoint, as the receipts of the chain have them', async () => {
  const payer = await shop.newPayer()
  let cost = 0n
  for (const path of ['/api/calc?expr=1%2B1', '/api/calc?expr=2%2B2']) {
    const payment = { 'payment-signature': await shop.sign(payer, path) }
    const response = await fetch(`${shop.seller.url}${path}`, { headers: payment })
    assert.equal(response.status, 200)
    const { transaction } = decodePaymentResponseHeader(response.headers.get('payment-response') ?? '')
    const { gasUsed, effectiveGasPrice } = await shop.chain.getTransactionReceipt({
      hash: transaction as Hex,
    })
    // At a dollar for an ETH, 10^12 wei are a micro-dollar; rounded up.
    cost += (gasUsed * effectiveGasPrice + 10n ** 12n - 1n) / 10n ** 12n
  }
  assert.ok(cost > 0n)
  const figures = {
    calls: 2,
    revenueUsd: '0.002',
    gasCostUsd: formatUsd(cost),
    marginUsd: formatUsd(2_000n - cost),
    callsWithoutCost: 0,
  }
  const response = await request()
  assert.equal(response.headers.get('cache-control'), 'no-store')
  const { from, to, wallets, ...summary } = (await response.json()) as Record<string, string> & {
    wallets: { address: string; settlementsLeft: number; isLow: boolean }[]
  }
  assert.equal(Date.parse(to ?? '') - Date.parse(from ?? ''), 7 * DAY_MS)
  assert.deepEqual(summary, {
    service: 'utility',
    ...figures,
    endpoints: [{ endpoint: 'calc', scheme: 'exact', ...figures }],
    open: { calls: 0, maxUsd: '0' },
    unclaimed: { channels: 0, usd: '0' },
  })
  assert.equal(wallets.length, 1)
  assert.ok(wallets[0] && wallets[0].settlementsLeft > 0 && !wallets[0].isLow)
  const metrics = await (await fetch(`${shop.seller.url}/metrics`)).text()
  assert.match(metrics, new RegExp(`tollbook_settled_gas_micro_usdc_total\\{endpoint="calc"\\} ${cost}\\n`))
  // Two calls, one after the other.
  assert.match(metrics, /^tollbook_settlement_seconds_count\{outcome="settled"\} 2$/m)
  // Present before the first failure, which an alert would otherwise miss.
  for (const outcome of ['failed', 'unknown'])
    assert.match(metrics, new RegExp(`^tollbook_settlement_seconds_count\\{outcome="${outcome}"\\} 0$`, 'm'))
  assert.match(metrics, /^tollbook_facilitator_batch_payments_bucket\{le="1"\} 2$/m)
  assert.match(metrics, /^tollbook_facilitator_waiting_payments 0$/m)
  assert.match(metrics, /tollbook_gas_left_settlements\{wallet="0x\w{40}"\} [1-9]/)
})

test('a period begins and ends with its days', async () => {
  const callsIn = async (from: number, to: number) => {
    const response = await request(`?from=${dayFromNow(from)}&to=${dayFromNow(to)}`)
    return ((await response.json()) as { calls: number }).calls
  }
  // Two days of slack on each side, if midnight passes meanwhile.
  assert.equal(await callsIn(-2, 2), 2)
  assert.equal(await callsIn(-9, -2), 0)
  assert.equal(await callsIn(2, 3), 0)
})

test('the summary needs the key, and dates in order', async () => {
  for (const authorization of ['', 'Bearer', `Bearer ${KEY}x`, `Basic ${KEY}`])
    assert.equal((await request('', authorization)).status, 403, authorization)
  for (const [query, detail] of [
    ['?from=yesterday', 'from must be a date such as 2026-11-23.'],
    ['?from=2026-11-02&to=2026-11-02', 'to must be later than from.'],
    ['?from=2025-01-01&to=2026-01-03', 'from must be at most 366 days before to.'],
  ] as const) {
    const response = await request(query)
    assert.equal(response.status, 400, query)
    assert.equal(((await response.json()) as { detail: string }).detail, detail)
  }
})
