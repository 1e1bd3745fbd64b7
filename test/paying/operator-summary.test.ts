import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { formatUsd } from '@tollbook/chain/usdc'
import { openShop, type Shop } from '@tollbook/testing/paying/shop'
import { calc } from '@tollbook/utility/endpoints/api/calc/endpoint'
import { decodePaymentResponseHeader } from '@x402/core/http'
import type { Hex } from 'viem'
import { OPERATOR_SETTING } from './operator-key.ts'

const KEY = OPERATOR_SETTING.TOLLBOOK_OPERATOR_KEY
const DAY_MS = 24 * 60 * 60_000

let shop: Shop
before(async () => {
  shop = await openShop({
    endpoints: [calc],
    // One dollar for an ETH: gas has a price, and the dev chain's fees do not stop the sale.
    settings: {
      ...OPERATOR_SETTING,
      TOLLBOOK_ETH_USD: '1',
      // So that each test has an address of its own.
      TOLLBOOK_TRUSTED_PROXIES: '127.0.0.1',
    },
  })
})
after(() => shop?.close())

const request = (query = '', authorization = `Bearer ${KEY}`) =>
  fetch(`${shop.seller.url}/operator/summary.json${query}`, { headers: { authorization } })

const readMetrics = (authorization: string | null, address = '198.51.100.1') =>
  fetch(`${shop.seller.url}/metrics`, {
    headers: { 'x-forwarded-for': address, ...(authorization !== null && { authorization }) },
  })

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
  const metrics = await (await readMetrics(`Bearer ${KEY}`)).text()
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
    await assertNoKey(await request('', authorization))
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

test('without the key, the metrics show neither dollars nor the calls of an endpoint', async () => {
  const metrics = await (await readMetrics(null)).text()
  assert.match(metrics, /^process_resident_memory_bytes \d+$/m)
  assert.match(metrics, /^tollbook_ready\{check="payments"\} 1$/m)
  assert.doesNotMatch(metrics, /usdc|calc/)
  const help = [...metrics.matchAll(/^# HELP (\w+)/gm)].map(([, name = '']) => name)
  assert.ok(help.includes('tollbook_gas_left_settlements'), `${help}`)
  assert.ok(!help.includes('tollbook_http_requests_total'), `${help}`)
  const all = await (await readMetrics(`Bearer ${KEY}`)).text()
  assert.match(all, /^tollbook_settled_micro_usdc_total\{endpoint="calc"\} 2000$/m)
})

test('a wrong key is refused with 401, and guesses of an address are limited, also in the right one', async () => {
  await assertNoKey(await readMetrics('Bearer wrong', '198.51.100.2'))
  const statuses: number[] = []
  // Ten guesses a minute: after this many, one address has used up its budget on any machine that is not a minute slow.
  while (statuses.at(-1) !== 429 && statuses.length < 100)
    statuses.push((await readMetrics('Bearer wrong', '198.51.100.2')).status)
  assert.equal(statuses.at(-1), 429, `${statuses}`)
  const right = await readMetrics(`Bearer ${KEY}`, '198.51.100.2')
  assert.equal(right.status, 429)
  assert.match(right.headers.get('retry-after') ?? '', /^\d+$/)
  assert.equal((await readMetrics(`Bearer ${KEY}`, '198.51.100.3')).status, 200)
  assert.equal((await readMetrics(null, '198.51.100.2')).status, 200)
})

/** RFC 9110, section 15.5.2; RFC 6750, section 3. */
async function assertNoKey(response: Response): Promise<void> {
  assert.equal(response.status, 401)
  assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer realm="[^"]+"/)
  assert.equal(((await response.json()) as { code: string }).code, 'operator_key_required')
}
