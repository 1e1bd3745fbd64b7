import { CONTRACTS } from '@tollbook/chain/contracts'
import type { Address } from '@tollbook/chain/hex'
import type { DevChain } from '@tollbook/devchain/dev-chain'
import { lastWeekEnd } from '@tollbook/verify/build/window'
import {
  type Call,
  sendCall,
  toAuthorizedTransfer,
  toBatch,
  toPermit2Approval,
  toPermit2Settlement,
  toPlainTransfer,
} from './chain-payments.ts'
import { FACILITATOR, SHOP, walletOf } from './paid-week.ts'

const WEEK_SECONDS = 7 * 86_400
/** A relay between the shop and a buyer. */
export const RELAY = walletOf(7)
/** Fills buyers with money that has nothing to do with the shop. */
const BANK = walletOf(8)

/**
 * Plays a week that trips the screens that follow money, in micro-USDC, all sent by the facilitator:
 *   account 0: 1 x 4,000,000 of 5,000,000 that the shop sent the relay: funded_by_merchant
 *   account 1: 1 x 2,000,000 of the relay's, circular, and 1 x 8,000,000 of the bank's
 *   account 2: 1 x 12,000,000, above_listing of listings up to 10,000
 *   account 3: 110 x 4,000; a quarter of its money is the shop's: tiny_repeat
 *   account 4: 3 x 100, dust; 1 x 1,000,000 to a router that passes on 990,000 and keeps 10,000
 *   account 5: 150,000 by the upto proxy, of 200,000 signed
 * All: 27,580,300, and 116 payments that count. Real: 8,000,000, 990,000, 150,000 and the dust, so 9,140,300 in 3.
 * In the week before, accounts 0 and 1 pay 10,000, account 4 pays 3,999, and account 5 sends 20,000 by a plain
 * transfer: of the three, 1 returns. Another 60,000 come after the week.
 * @returns when the week ended, epoch seconds.
 */
export async function playCheatedWeek(chain: DevChain): Promise<number> {
  let salt = 0
  const end = lastWeekEnd(Math.floor(Date.now() / 1000))
  const pay = (payer: number, amount: bigint, to: Address = SHOP) =>
    toAuthorizedTransfer({ payer, to, amount, salt: `cheated week ${salt++}` })
  const send = (call: Call, from = FACILITATOR) => sendCall(chain, from, call)
  const move = (from: Address, to: Address, amount: bigint) => send(toPlainTransfer(to, amount), from)

  await chain.fundGas(FACILITATOR)
  await chain.skipTime(end - 2 * WEEK_SECONDS - chain.genesisSeconds + 86_400)
  await send(toBatch([await pay(0, 10_000n), await pay(1, 10_000n), await pay(4, 3_999n)]))
  await move(walletOf(5), SHOP, 20_000n)
  await chain.skipTime(WEEK_SECONDS)
  await send(toPermit2Approval(), walletOf(5))
  await move(SHOP, RELAY, 7_000_000n)
  await move(RELAY, walletOf(0), 5_000_000n)
  await send(await pay(0, 4_000_000n))
  await move(RELAY, walletOf(1), 2_000_000n)
  await send(await pay(1, 2_000_000n))
  await chain.skipTime(86_400)
  await move(BANK, walletOf(1), 10_000_000n)
  await send(await pay(1, 8_000_000n))
  await send(await pay(2, 12_000_000n))
  await move(SHOP, walletOf(3), 100_000n)
  await move(BANK, walletOf(3), 300_000n)
  await chain.skipTime(86_400)
  await send(toBatch(await Promise.all(Array.from({ length: 110 }, () => pay(3, 4_000n)))))
  await send(toBatch(await Promise.all(Array.from({ length: 3 }, () => pay(4, 100n)))))
  const routed = await pay(4, 1_000_000n, CONTRACTS.multicall3)
  await send(toBatch([routed, toPlainTransfer(SHOP, 990_000n)]))
  const upto = { facilitator: FACILITATOR, settled: 150_000n }
  const permit = { payer: 5, to: SHOP, amount: 200_000n, salt: 'cheated week upto' }
  await send(await toPermit2Settlement(permit, upto))
  await chain.skipTime(WEEK_SECONDS - 3 * 86_400)
  await send(await pay(1, 60_000n))
  return end
}
