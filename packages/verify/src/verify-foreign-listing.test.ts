import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DevChain } from '@tollbook/devchain/dev-chain'
import { sendCall, toAuthorizedTransfer } from '@tollbook/testing/report/chain-payments'
import { FACILITATOR, SHOP } from '@tollbook/testing/report/paid-week'
import { toListing } from '@tollbook/testing/report/published-week'
import { verifyPaidWeek } from '@tollbook/testing/report/verify-week'
import { lastWeekEnd } from './build/window.ts'

const WEEK_SECONDS = 7 * 86_400

test('a listing above nearly all payments, which a stranger can make, uncounts none, and the report equals the chain', async () => {
  const sources = [['https://source.example', [toListing('/dear', 50_000n)]]] as const
  const { report, inputs, differing } = await verifyPaidWeek({ play, sources })
  const { tx, usd, real_tx, buyers, rank_by_real_revenue: rank } = report
  assert.deepEqual([tx, usd, real_tx, buyers, rank], [7, 0.11, 7, 2, 1])
  assert.equal(inputs.floor, '1000')
  assert.deepEqual(differing, [])
})

/** Account 0 pays 6 x 10,000 micro-USDC, and the stranger, account 1, once the 50,000 that it lists: 110,000 in 7. */
async function play(chain: DevChain): Promise<number> {
  const end = lastWeekEnd(Math.floor(Date.now() / 1000))
  await chain.fundGas(FACILITATOR)
  await chain.skipTime(end - WEEK_SECONDS - chain.genesisSeconds + 86_400)
  for (const [at, amount] of [50_000n, ...Array.from({ length: 6 }, () => 10_000n)].entries()) {
    const payment = { payer: at === 0 ? 1 : 0, to: SHOP, amount, salt: `foreign listing ${at}` }
    await sendCall(chain, FACILITATOR, await toAuthorizedTransfer(payment))
  }
  await chain.skipTime(WEEK_SECONDS)
  return end
}
