import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { DEV_CLIENT_KEYS, devPayTo } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { chargeOf, readSettlement } from '@tollbook/pay/offer'
import { payAndCall } from '@tollbook/pay/pay'
import { createDesk } from '@tollbook/testing/paying/desk'
import { type Seller, startSeller } from '@tollbook/testing/paying/seller'
import { calc } from '@tollbook/utility/endpoints/api/calc/endpoint'
import { toClientEvmSigner } from '@x402/evm'
import { BatchSettlementEvmScheme, InMemoryClientChannelStorage } from '@x402/evm/batch-settlement/client'
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { createPublicClient, http, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

const ERC20 = parseAbi(['function balanceOf(address) view returns (uint256)'])

let seller: Seller
before(async () => {
  const live = createDesk().endpoints.filter(({ id }) => id === 'test.live')
  seller = await startSeller({
    endpoints: [calc, ...live],
    settings: { TOLLBOOK_CHANNEL_QUIET_SECONDS: '1' },
  })
})
after(() => seller?.close())

const chainOf = () => createPublicClient({ transport: http(seller.chain.rpcUrl) })
const balanceOf = (address: `0x${string}`) =>
  chainOf().readContract({ address: BASE.usdc, abi: ERC20, functionName: 'balanceOf', args: [address] })

/** The SDK's client, which pays from a channel. */
function openClient(account: number) {
  const { address } = privateKeyToAccount(DEV_CLIENT_KEYS[account] ?? '0x')
  const signer = toClientEvmSigner(privateKeyToAccount(DEV_CLIENT_KEYS[account] ?? '0x'), chainOf())
  const scheme = new BatchSettlementEvmScheme(signer, { storage: new InMemoryClientChannelStorage() })
  const client = new x402Client().register(BASE.id, scheme)
  return { address, scheme, fetch: wrapFetchWithPayment(fetch, client) as typeof fetch }
}

const settlementOf = (response: Response) =>
  decodePaymentResponseHeader(response.headers.get('payment-response') ?? '')

test('@x402/fetch buys ten calls from a channel, the seller is paid for ten, and the rest is refunded', async () => {
  const { fetch: buy, scheme, address } = openClient(0)
  const [earned, held] = await Promise.all([balanceOf(devPayTo.utility), balanceOf(address)])
  for (let call = 1; call <= 10; call += 1) {
    const response = await buy(`${seller.url}/api/calc?expr=${call}*2`)
    assert.equal(response.status, 200, await response.clone().text())
    assert.equal(((await response.json()) as { result: unknown }).result, `${call * 2}`)
    const { success, transaction, extra } = settlementOf(response)
    assert.equal(success, true)
    assert.equal(transaction === '', call > 1)
    assert.equal(extra?.chargedAmount, '1000')
  }
  // The deposit of 50 calls.
  assert.equal(held - (await balanceOf(address)), 50_000n)
  while ((await balanceOf(devPayTo.utility)) === earned) await delay(50)
  assert.equal((await balanceOf(devPayTo.utility)) - earned, 10_000n)
  const refund = await scheme.refund(`${seller.url}/api/calc`)
  assert.equal(refund.success, true)
  assert.equal(held - (await balanceOf(address)), 10_000n)
})

test('tollbook call pays from a channel that other runs paid from, and deposits at most --max', async () => {
  const key = DEV_CLIENT_KEYS[1]
  const { address } = privateKeyToAccount(key)
  const held = await balanceOf(address)
  const retries: string[] = []
  const call = async (expr: string, max: bigint) =>
    payAndCall({
      request: {
        url: `${seller.url}/api/calc?expr=${encodeURIComponent(expr)}`,
        method: 'GET',
        headers: new Headers(),
      },
      key,
      rpcUrl: seller.chain.rpcUrl,
      max,
      scheme: 'batch-settlement',
      confirm: async ({ deposit }) => deposit === 50_000n,
      onRetry: (reason) => void retries.push(reason),
      signal: new AbortController().signal,
    })
  assert.deepEqual(await call('1', 49_999n), {
    kind: 'no-offer',
    reason: 'the deposit of $0.05 is above --max',
  })
  for (const [expr, result] of [
    ['2+3', '5'],
    ['3+4', '7'],
    ['4+5', '9'],
  ] as const) {
    const outcome = await call(expr, 50_000n)
    assert.ok(outcome.kind === 'answered', outcome.kind)
    assert.equal(((await outcome.response.json()) as { result: string }).result, result)
    const settlement = readSettlement(outcome.response)
    assert.ok(settlement?.success)
    assert.equal(chargeOf(outcome.offer, settlement), 1000n)
  }
  assert.equal(held - (await balanceOf(address)), 50_000n)
  for (const reason of retries) assert.match(reason, /the channel has paid for other calls/)
})

test('a stream is paid from a channel before its first byte', async () => {
  const { fetch: buy } = openClient(4)
  const response = await buy(`${seller.url}/test/live?word=x`)
  assert.equal(await response.text(), 'data: toll\n\ndata: book\n\n')
  assert.equal(settlementOf(response).extra?.chargedAmount, '10000')
})
