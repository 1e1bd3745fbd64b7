import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openShop, refusalOf, type Shop } from '@tollbook/testing/paying/shop'
import { toHex } from 'viem'
import { OPERATOR_HEADERS, OPERATOR_SETTING } from '../paying/operator-key.ts'
import { gasBurnt } from './block-race.ts'
import { hostileCode } from './hostile-code.ts'

const PATH = '/test/good?word=hi'
const GWEI = 1_000_000_000

let shop: Shop
before(async () => {
  // The node suggests a tip of 1 gwei: at 100 dollars per ETH, 86,000 gas cost a cent.
  const settings = { TOLLBOOK_ETH_USD: '100', TOLLBOOK_MAX_GAS_PERCENT: '300', ...OPERATOR_SETTING }
  shop = await openShop({ hasOwnBlocks: true, settings, limits: { heartbeatMs: 200 } })
})
after(() => shop?.close())

async function setBaseFee(wei: number): Promise<void> {
  await shop.seller.chain.rpc.call('anvil_setNextBlockBaseFeePerGas', [toHex(wei)])
  await shop.seller.chain.mine()
}

/** Repeats the request until the seller has read the fee again, which it does every few seconds. */
async function askUntil(status: number): Promise<Response> {
  for (;;) {
    const response = await shop.ask(PATH)
    if (response.status === status) return response
    await response.body?.cancel()
    await wait(100)
  }
}

test('a call whose gas costs more than three times its price is not sold until gas is cheaper', async () => {
  await setBaseFee(GWEI / 1_000)
  const payer = await shop.newPayer()
  const payment = await shop.sign(payer, PATH)
  // 86,000 * 11 gwei * 100 dollars = 0.09 dollars, for a call that costs a cent.
  await setBaseFee(10 * GWEI)
  const closed = await askUntil(503)
  assert.equal(closed.headers.get('payment-required'), null)
  assert.equal(await refusalOf(closed), 'gas_too_expensive')
  assert.equal(await refusalOf(await shop.ask(PATH, payment)), 'gas_too_expensive')
  assert.equal(shop.desk.runs, 0)
  const answer = await fetch(`${shop.seller.url}/metrics`, { headers: OPERATOR_HEADERS })
  const metrics = await answer.text()
  const cost = Number(/tollbook_settlement_gas_micro_usdc\{scheme="exact"\} (\d+)/.exec(metrics)?.[1])
  assert.ok(cost >= 86_000 && cost <= 120_000, `${cost} micro-USDC`)
  await setBaseFee(GWEI / 1_000)
  await askUntil(402)
  assert.equal((await shop.ask(PATH, payment)).status, 200)
})

test('a wallet whose code makes its settlement cost more than the call earns is refused, and nothing is charged', async () => {
  await setBaseFee(GWEI / 1_000)
  const payer = await shop.newPayer()
  const payment = await shop.sign(payer, PATH)
  // 11,000 iterations of 26 gas plus the transfer, about 350,000 gas: more than 0.035 dollars.
  await shop.seller.chain.rpc.call('anvil_setCode', [payer.address, hostileCode(11_000)])
  shop.desk.runs = 0
  const burnt = await gasBurnt(shop.seller.chain, async () => {
    const response = await shop.ask(PATH, payment)
    assert.match(await response.clone().text(), /more gas than the call earns/)
    assert.equal(await refusalOf(response), 'contract_wallet_refused')
  })
  assert.equal(burnt, 0n)
  assert.equal(shop.desk.runs, 0)
})
