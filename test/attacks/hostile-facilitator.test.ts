import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { BASE } from '@tollbook/chain/network'
import { HOSTILE_MODES, type HostileMode } from '@tollbook/devchain/facilitator/settle-in-mode'
import { type HostileFacilitator, startHostileFacilitator } from '@tollbook/devchain/hostile-facilitator'
import { createRemoteFacilitator } from '@tollbook/gate/remote/remote-facilitator'
import { CENT } from '@tollbook/testing/paying/desk'
import { openShop, receiptOf, type Shop } from '@tollbook/testing/paying/shop'

const SETTLE_MS = 1_500

let shop: Shop
let facilitator: HostileFacilitator
before(async () => {
  shop = await openShop({
    // A timeout behaves the same after a second as after half a minute.
    limits: { settleMs: SETTLE_MS, heartbeatMs: 200, resendAfterMs: 100 },
    facilitator: async (chain, logger) => {
      facilitator = await startHostileFacilitator({ mode: 'honest', chain, delayMs: 2 * SETTLE_MS })
      return createRemoteFacilitator({ url: facilitator.url, network: BASE.id, logger })
    },
  })
  shop.desk.charge = 4_000n
})
after(async () => {
  await shop?.close()
  await facilitator?.close()
})

/**
 * `status`: of the first request. `isPaid`: whether the price leaves the payer's wallet; the seller believes a success
 * that names a transaction, so a facilitator that lies about one costs its seller the price.
 */
const EXPECTED: Record<HostileMode, { readonly status: number; readonly isPaid: boolean }> = {
  honest: { status: 200, isPaid: true },
  slow: { status: 503, isPaid: true },
  'lying-success': { status: 200, isPaid: false },
  'lying-failure': { status: 200, isPaid: true },
  double: { status: 200, isPaid: true },
  'lost-answer': { status: 503, isPaid: true },
  reorganisation: { status: 200, isPaid: false },
}

/** Repeats the call with the same payment until the outcome is known. */
async function askUntilKnown(path: string, payment: string): Promise<Response> {
  for (;;) {
    const response = await shop.ask(path, payment)
    if (response.status !== 503 && response.status !== 409) return response
    await wait(50)
  }
}

for (const mode of HOSTILE_MODES)
  for (const [kind, path, price] of [
    ['fixed', '/test/good?word=hi', CENT],
    ['metered', '/test/meter?word=hi', 4_000n],
  ] as const)
    test(`${mode}: a call with a ${kind} price is answered, run once, and charged once at most`, async () => {
      const payer = await shop.newPayer()
      await shop.allowPermit2(payer)
      const held = await shop.balanceOf(payer.address)
      const payment = await shop.sign(payer, path)
      const { status, isPaid } = EXPECTED[mode]
      facilitator.setMode(mode)
      shop.desk.runs = 0
      const first = await shop.ask(path, payment)
      assert.equal(first.status, status, await first.text())
      for (let request = 0; request < 2; request++) {
        const answer = await askUntilKnown(path, payment)
        assert.equal(answer.status, 200)
        assert.equal(receiptOf(answer)?.amount, `${price}`)
        assert.deepEqual(await answer.json(), { word: 'hi', payer: payer.address.toLowerCase() })
      }
      assert.equal(shop.desk.runs, 1)
      const paid = isPaid ? price : 0n
      assert.equal(held - (await shop.balanceOf(payer.address)), paid)

      // What its facilitator did does not count against the payer.
      facilitator.setMode('honest')
      assert.equal((await shop.ask(path, await shop.sign(payer, path))).status, 200)
      assert.equal(held - (await shop.balanceOf(payer.address)), paid + price)
    })
