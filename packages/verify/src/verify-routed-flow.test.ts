import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CONTRACTS } from '@tollbook/chain/contracts'
import type { Address } from '@tollbook/chain/hex'
import type { DevChain } from '@tollbook/devchain/dev-chain'
import {
  sendCall,
  toAuthorizedTransfer,
  toBatch,
  toPlainTransfer,
} from '@tollbook/testing/report/chain-payments'
import { RELAY } from '@tollbook/testing/report/cheated-week'
import { FACILITATOR, SHOP, walletOf } from '@tollbook/testing/report/paid-week'
import { verifyPaidWeek } from '@tollbook/testing/report/verify-week'
import { lastWeekEnd } from './build/window.ts'

const WEEK_SECONDS = 7 * 86_400
/** Its money has nothing to do with the shop. */
const BANK = walletOf(8)

test('over a router, only the payment with money of the merchant is circular, and the report equals the chain', async () => {
  const { report, differing } = await verifyPaidWeek({ play })
  const { tx, usd, real_tx, real_usd, flags } = report
  assert.deepEqual(
    { tx, usd, real_tx, real_usd, flags },
    { tx: 3, usd: 1.99, real_tx: 2, real_usd: 1.3, flags: { circular: { tx: 1, usd: 0.69 } } },
  )
  assert.deepEqual(differing, [])
})

/**
 * Account 0 gets 700,000 micro-USDC of the shop over a relay and pays them over a router, which passes on 690,000, and
 * 1,000,000 of 2,000,000 of the bank's. Account 1, which has nothing to do with them, pays 300,000 over the same router.
 */
async function play(chain: DevChain): Promise<number> {
  const end = lastWeekEnd(Math.floor(Date.now() / 1000))
  let salt = 0
  const pay = (payer: number, amount: bigint, to: Address = SHOP) =>
    toAuthorizedTransfer({ payer, to, amount, salt: `routed week ${salt++}` })
  const route = async (payer: number, amount: bigint, passed: bigint) =>
    sendCall(
      chain,
      FACILITATOR,
      toBatch([await pay(payer, amount, CONTRACTS.multicall3), toPlainTransfer(SHOP, passed)]),
    )
  const move = (from: Address, to: Address, amount: bigint) =>
    sendCall(chain, from, toPlainTransfer(to, amount))
  await chain.fundGas(FACILITATOR)
  await chain.skipTime(end - WEEK_SECONDS - chain.genesisSeconds + 86_400)
  await move(SHOP, RELAY, 700_000n)
  await move(RELAY, walletOf(0), 700_000n)
  await route(0, 700_000n, 690_000n)
  await move(BANK, walletOf(0), 2_000_000n)
  await sendCall(chain, FACILITATOR, await pay(0, 1_000_000n))
  await route(1, 300_000n, 300_000n)
  await chain.skipTime(WEEK_SECONDS)
  return end
}
