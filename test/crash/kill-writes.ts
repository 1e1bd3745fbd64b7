import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openState } from '@tollbook/cli/commands/state/open'
import type { PaymentRequired } from '@tollbook/gate/challenge/payment-required'
import { signPayment } from '@tollbook/testing/payments/sign-payment'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { numberToHex } from 'viem'
import { openMarket } from './market.ts'
import { openShop } from './shop.ts'
import { readTransfers } from './transfers.ts'

const PATH = '/api/store/log'
const WRITES_A_KILL = 8
/**
 * Enough for a call and soon over: an authorization whose transaction was never sent is resolved by its
 * expiry.
 */
const LIFETIME_SECONDS = 12

/**
 * Kills sellers while they store paid rows, and compares the rows with the settled payments. At the end,
 * one more write must be sold.
 * @param kills the first at the first stored answer, then after one settlement of its seller, two, and so on
 * @param stateUrl default: SQLite
 */
export async function killWrites(kills: number, stateUrl?: string): Promise<void> {
  const market = await openMarket(1)
  const shop = await openShop(market, stateUrl)
  const state = await openState(stateUrl ?? `sqlite:${join(shop.folder, 'data', 'state.sqlite')}`)
  const firstBlock = Number(await market.chain.rpc.call('eth_blockNumber')) + 1
  const [payer] = market.payers
  assert.ok(payer)
  const nonceOf = (n: number) => numberToHex(n + 1, { size: 32 })

  async function write(sellerUrl: string, n: number): Promise<number> {
    const challenged = await fetch(`${sellerUrl}${PATH}`, { method: 'POST' })
    const header = challenged.headers.get('payment-required') ?? ''
    await challenged.arrayBuffer()
    const terms = decodePaymentRequiredHeader(header) as unknown as PaymentRequired
    const validBefore = Math.floor(Date.now() / 1000) + LIFETIME_SECONDS
    const payment = await signPayment(payer ?? assert.fail(), terms, { nonce: nonceOf(n), validBefore })
    const headers = { 'content-type': 'application/json', 'payment-signature': payment }
    const response = await fetch(`${sellerUrl}${PATH}`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ n }),
    })
    await response.arrayBuffer()
    return response.status
  }

  try {
    for (let kill = 0; kill < kills; kill += 1) {
      const seller = shop.startSeller()
      const sellerUrl = await seller.open()
      const numbers = Array.from({ length: WRITES_A_KILL }, (_, at) => kill * WRITES_A_KILL + at)
      const settledBefore = [...(await shop.readRows()).values()].filter(
        ({ state: at }) => at === 'settled',
      ).length
      const asked = numbers.map((n) => write(sellerUrl, n).catch(() => {}))
      const isLateEnough = async () => {
        const rows = [...(await shop.readRows()).values()]
        if (kill === 0) return rows.some(({ state: at }) => at !== 'reserved')
        return rows.filter(({ state: at }) => at === 'settled').length >= settledBefore + kill
      }
      const over = Promise.all(asked).then(() => true)
      while (!(await isLateEnough()) && !(await Promise.race([over, wait(1, false)])));
      await seller.kill()
      await over
    }
    const last = shop.startSeller()
    const lastUrl = await last.open()
    const isClosed = ({ state: at }: { readonly state: string }) => at === 'settled' || at === 'released'
    while (![...(await shop.readRows()).values()].every(isClosed)) await wait(50)
    // All the killed writes may be unpaid: one that waits for its expiry makes the others fail.
    const lastStatus = await write(lastUrl, kills * WRITES_A_KILL)
    await last.kill()
    await shop.atRest()
    assert.equal(lastStatus, 201)
    const ledger = await shop.readRows()
    const settled = [...ledger].filter(([, row]) => row.state === 'settled').map(([nonce]) => nonce)
    const rows = await state.db.selectFrom('collection_row').select('body').execute()
    const written = rows.map(({ body }) => nonceOf((JSON.parse(body) as { n: number }).n))
    assert.deepEqual(written.toSorted(), settled.toSorted())
    const transfers = await readTransfers(market.chain.rpc, market.payTo, firstBlock)
    assert.deepEqual(transfers.map(({ nonce }) => nonce).toSorted(), settled.toSorted())
    assert.deepEqual(await state.db.selectFrom('call_effect').select('call').execute(), [])
  } finally {
    await state.close()
    await shop.close()
    await market.close()
  }
}
