import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CONTRACTS } from '@tollbook/chain/contracts'
import { BASE } from '@tollbook/chain/network'
import type { DevChain } from '@tollbook/devchain/dev-chain'
import {
  sendCall,
  toAuthorizedTransfer,
  toBatch,
  toPlainTransfer,
} from '@tollbook/testing/report/chain-payments'
import { toChannel, toEscrowCall } from '@tollbook/testing/report/channel-week'
import { RELAY } from '@tollbook/testing/report/cheated-week'
import { FACILITATOR, SHOP, SHOP_ACCOUNT, walletOf } from '@tollbook/testing/report/paid-week'
import { verifyPaidWeek } from '@tollbook/testing/report/verify-week'
import { lastWeekEnd } from './build/window.ts'

const WEEK_SECONDS = 7 * 86_400
/** Collects deposits from its own balance: sends the escrow the amount, the third argument of its call. */
const COLLECTOR = `0x${'c0'.repeat(20)}` as const
const COLLECTOR_CODE = [
  `0x7fa9059cbb${'00'.repeat(28)}5f52`,
  `73${CONTRACTS.channelEscrow.slice(2)}600452`,
  '604435602452',
  `5f5f60445f5f73${BASE.usdc.slice(2)}5af100`,
].join('')

test('claims from the channel of a buyer that the merchant funded are flagged, and the report equals the chain', () =>
  check(play, {
    tx: 2,
    usd: 0.54,
    real_tx: 1,
    real_usd: 0.04,
    flags: { funded_by_merchant: { tx: 1, usd: 0.5 } },
  }))

test('a deposit of a lender that the merchant gives back in the transaction of the claim is flagged', () =>
  check(playLent, { tx: 1, usd: 0.5, real_tx: 0, real_usd: 0, flags: { circular: { tx: 1, usd: 0.5 } } }))

test('a shop that pays its buyers out of channels of its own is seen, also over a relay', () =>
  check(playReturned, {
    tx: 3,
    usd: 0.64,
    real_tx: 1,
    real_usd: 0.04,
    flags: { funded_by_merchant: { tx: 2, usd: 0.6 } },
  }))

/** The shop's report of a week has these figures, and equals the chain. */
async function check(
  play: (chain: DevChain) => Promise<number>,
  expected: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { report, differing } = await verifyPaidWeek({ play })
  const { tx, usd, real_tx, real_usd, flags } = report
  assert.deepEqual({ tx, usd, real_tx, real_usd, flags }, expected)
  assert.deepEqual(differing, [])
}

/**
 * Account 0 gets 700,000 micro-USDC of the shop over a relay, deposits 600,000, and 500,000 are claimed. Account 1
 * deposits 50,000 of its own, and 40,000 are claimed. The claims are settled.
 */
async function play(chain: DevChain): Promise<number> {
  const end = lastWeekEnd(Math.floor(Date.now() / 1000))
  const toEscrow = (functionName: string, ...args: readonly unknown[]) =>
    sendCall(chain, FACILITATOR, toEscrowCall(functionName, args))
  const [ann, ben] = [toChannel(0, SHOP), toChannel(1, SHOP)]
  await chain.fundGas(FACILITATOR)
  await chain.skipTime(end - WEEK_SECONDS - chain.genesisSeconds + 86_400)
  await sendCall(chain, SHOP, toPlainTransfer(RELAY, 700_000n))
  await sendCall(chain, RELAY, toPlainTransfer(walletOf(0), 700_000n))
  await toEscrow('deposit', ...(await ann.deposit(600_000n)))
  await toEscrow('deposit', ...(await ben.deposit(50_000n)))
  await toEscrow('claim', [await ann.claim(500_000n), await ben.claim(40_000n)])
  await toEscrow('settle', SHOP, BASE.usdc)
  await chain.skipTime(WEEK_SECONDS)
  return end
}

/**
 * Before the week, the shop deposits 300,000 micro-USDC for account 0 and 300,000 for the relay. In the week, each account
 * of 0 and 1 pays it 300,000, and account 2 pays 40,000. The shop's channels are claimed, and the relay fills account 1.
 */
async function playReturned(chain: DevChain): Promise<number> {
  const end = lastWeekEnd(Math.floor(Date.now() / 1000))
  const toEscrow = (functionName: string, ...args: readonly unknown[]) =>
    sendCall(chain, FACILITATOR, toEscrowCall(functionName, args))
  const pay = async (payer: number, amount: bigint) =>
    sendCall(chain, FACILITATOR, await toAuthorizedTransfer({ payer, to: SHOP, amount, salt: 'returned' }))
  const channels = [walletOf(0), RELAY].map((receiver) => toChannel(SHOP_ACCOUNT, receiver))
  await chain.fundGas(FACILITATOR)
  await chain.skipTime(end - WEEK_SECONDS - chain.genesisSeconds - 3_600)
  for (const channel of channels) await toEscrow('deposit', ...(await channel.deposit(300_000n)))
  await chain.skipTime(86_400)
  await pay(0, 300_000n)
  for (const channel of channels) await toEscrow('claim', [await channel.claim(300_000n)])
  for (const { config } of channels) await toEscrow('settle', config.receiver, BASE.usdc)
  await sendCall(chain, RELAY, toPlainTransfer(walletOf(1), 300_000n))
  await pay(1, 300_000n)
  await pay(2, 40_000n)
  await chain.skipTime(WEEK_SECONDS)
  return end
}

/**
 * In one transaction, account 8 lends 500,000 micro-USDC, a collector deposits them into the channel of account 0, they
 * are claimed and settled, and the shop gives them back.
 */
async function playLent(chain: DevChain): Promise<number> {
  const end = lastWeekEnd(Math.floor(Date.now() / 1000))
  const amount = 500_000n
  const ann = toChannel(0, SHOP, CONTRACTS.multicall3)
  await chain.fundGas(FACILITATOR)
  await chain.skipTime(end - WEEK_SECONDS - chain.genesisSeconds + 86_400)
  await chain.rpc.call('anvil_setCode', [COLLECTOR, COLLECTOR_CODE])
  const calls = [
    await toAuthorizedTransfer({ payer: 8, to: COLLECTOR, amount, salt: 'lent' }),
    toEscrowCall('deposit', [ann.config, amount, COLLECTOR, '0x']),
    toEscrowCall('claim', [[await ann.claim(amount)]]),
    toEscrowCall('settle', [SHOP, BASE.usdc]),
    await toAuthorizedTransfer({ payer: SHOP_ACCOUNT, to: walletOf(8), amount, salt: 'given back' }),
  ]
  await sendCall(chain, FACILITATOR, toBatch(calls))
  await chain.skipTime(WEEK_SECONDS)
  return end
}
