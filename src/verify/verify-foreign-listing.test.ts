import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendCall, toAuthorizedTransfer } from '../../testing/report/chain-payments.ts'
import { FACILITATOR, SHOP } from '../../testing/report/paid-week.ts'
import { toListing } from '../../testing/report/published-week.ts'
import { verifyPaidWeek } from '../../testing/report/verify-week.ts'
import type { DevChain } from '../devchain/dev-chain.ts'
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
