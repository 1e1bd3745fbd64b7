import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DevChain } from '@tollbook/devchain/dev-chain'
import { sendCall, toAuthorizedTransfer } from '@tollbook/testing/report/chain-payments'
import { BAR, DISCLOSED, FACILITATOR, SHOP, walletOf } from '@tollbook/testing/report/paid-week'
import { publishPaidWeek } from '@tollbook/testing/report/published-week'
import { verifyPaidWeek } from '@tollbook/testing/report/verify-week'
import { lastWeekEnd } from './build/window.ts'

const WEEK_SECONDS = 7 * 86_400
const OWN_PAYER = walletOf(7)

test('what the operator pays to its own service is self_pay, and verify recomputes it from the inputs', async () => {
  const operatorWallets = new Map([[SHOP, [OWN_PAYER]]])
  const { report, inputs, differing } = await verifyPaidWeek({ play, operatorWallets })
  const { tx, real_tx, real_usd, flags } = report
  assert.deepEqual([tx, real_tx, real_usd, flags], [5, 3, 0.03, { self_pay: { tx: 2, usd: 0.02 } }])
  assert.deepEqual(inputs.operator_wallets, [OWN_PAYER])
  assert.deepEqual(inputs.disclosed_wallets, [DISCLOSED, OWN_PAYER].sort())
  assert.deepEqual(differing, [])
})

test('the same wallet is a buyer as any other at merchants of others', async (t) => {
  const published = await publishPaidWeek({ play, operatorWallets: new Map([[SHOP, [OWN_PAYER]]]) })
  t.after(() => published.close())
  const { real_tx, flags } = JSON.parse(await published.read(BAR, '.json'))
  assert.deepEqual([real_tx, flags], [1, {}])
  assert.equal('operator_wallets' in JSON.parse(await published.read(BAR, '/inputs.json')), false)
})

test('a week that was published before the operator disclosed its wallet stays as it is', async (t) => {
  const operatorWallets = new Map()
  const published = await publishPaidWeek({ play, operatorWallets })
  t.after(() => published.close())
  const read = async () => [await published.read(SHOP, '.json'), await published.read(SHOP, '/inputs.json')]
  const before = await read()
  assert.equal('operator_wallets' in JSON.parse(before[1] ?? ''), false)
  operatorWallets.set(SHOP, [OWN_PAYER])
  assert.equal(await published.correct(), 0)
  assert.deepEqual(await read(), before)
})

/** Account 1 pays the shop 3 x 10,000 micro-USDC; the operator's account 7 2 x 10,000, and the bar 10,000. */
async function play(chain: DevChain): Promise<number> {
  const end = lastWeekEnd(Math.floor(Date.now() / 1000))
  await chain.fundGas(FACILITATOR)
  await chain.skipTime(end - WEEK_SECONDS - chain.genesisSeconds + 86_400)
  const payments = [
    [1, SHOP],
    [1, SHOP],
    [1, SHOP],
    [7, SHOP],
    [7, SHOP],
    [7, BAR],
  ] as const
  for (const [at, [payer, to]] of payments.entries()) {
    const payment = { payer, to, amount: 10_000n, salt: `own wallets ${at}` }
    await sendCall(chain, FACILITATOR, await toAuthorizedTransfer(payment))
  }
  await chain.skipTime(WEEK_SECONDS)
  return end
}
