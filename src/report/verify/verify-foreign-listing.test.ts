import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendCall, toAuthorizedTransfer } from '../../../test/report/chain-payments.ts'
import { FACILITATOR, SHOP } from '../../../test/report/paid-week.ts'
import { publishPaidWeek, toListing } from '../../../test/report/published-week.ts'
import { createReadRpc } from '../../chain/rpc/read-rpc.ts'
import type { DevChain } from '../../devchain/dev-chain.ts'
import { lastWeekEnd } from '../build/window.ts'
import { parseInputs, parsePublishedReport } from './published-report.ts'
import { verifyReport } from './verify-report.ts'

const WEEK_SECONDS = 7 * 86_400

test('a listing above nearly all payments, which a stranger can make, uncounts none, and the report equals the chain', async () => {
  const sources = [['https://source.example', [toListing('/dear', 50_000n)]]] as const
  const week = await publishPaidWeek({ play, sources })
  try {
    const report = JSON.parse(await week.read(SHOP, '.json'))
    const { tx, usd, real_tx, buyers, rank_by_real_revenue: rank } = report
    assert.deepEqual([tx, usd, real_tx, buyers, rank], [7, 0.11, 7, 2, 1])
    const inputs = parseInputs(JSON.parse(await week.read(SHOP, '/inputs.json')))
    assert.equal(inputs.floor, '1000')
    const { checks } = await verifyReport(
      {
        report: parsePublishedReport(report),
        inputs,
        evidence: await week.read(SHOP, '/payments.ndjson'),
        claim: undefined,
        rpc: createReadRpc({ url: week.chain.rpcUrl }),
        now: new Date(),
      },
      new AbortController().signal,
    )
    const differing = checks.filter(({ verdict }) => verdict === 'differs')
    assert.deepEqual(differing, [])
  } finally {
    await week.close()
  }
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
