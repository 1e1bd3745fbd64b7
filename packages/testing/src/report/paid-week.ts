import type { Address } from '@tollbook/chain/hex'
import type { DevChain } from '@tollbook/devchain/dev-chain'
import { lastWeekEnd } from '@tollbook/verify/build/window'
import {
  type Call,
  clientAccount,
  sendCall,
  toAuthorizedTransfer,
  toBatch,
  toPermit2Approval,
  toPermit2Settlement,
  toPlainTransfer,
} from './chain-payments.ts'

export const FACILITATOR: Address = `0x${'fa'.repeat(20)}`
/** Sends payments and is not in any list of facilitators. */
export const STRANGER: Address = `0x${'57'.repeat(20)}`
/** A second merchant, which nobody lists. */
export const BAR: Address = `0x${'5b'.repeat(20)}`
/** Index of the client account that is the first merchant, and so can pay and sign itself. */
export const SHOP_ACCOUNT = 9
export const SHOP = walletOf(SHOP_ACCOUNT)
/** A wallet that the shop discloses as its own. */
export const DISCLOSED = walletOf(6)

export function walletOf(account: number): Address {
  return clientAccount(account).address.toLowerCase() as Address
}

/** Parts of the week that go by between one kind of payment and the next. */
const PARTS = 8
const WEEK_SECONDS = 7 * 86_400

/**
 * Plays a published week with every kind of payment and flag on a new, stopped chain, and a little after it.
 *
 * The shop is paid, in micro-USDC and all by the facilitator unless said otherwise:
 *   account 0: 120 x 4,000 + 1 x 700,000; it gets 200,000 from the shop, so the 120 are tiny_repeat
 *   account 1: 5 x 500,000, one of them by the stranger
 *   account 2: 3 x 1,000,000, of which 2,000,000 go back: round_trip
 *   account 3: 1 x 250,000 through the exact proxy of Permit2, sent by the stranger
 *   account 6: 2 x 30,000, self_pay once it is disclosed; account 9, the shop itself: 1 x 90,000, self_pay
 *   account 5: 10,000 by a plain transfer, which is no payment
 * The bar gets 7 x 20,000 of account 4. After the week, account 1 pays the shop 60,000 and account 2 pays
 * it 40,000.
 * @returns when the week ended, epoch seconds.
 */
export async function playPaidWeek(chain: DevChain): Promise<number> {
  let salt = 0
  const end = lastWeekEnd(Math.floor(Date.now() / 1000))
  const part = Math.floor(WEEK_SECONDS / PARTS)
  const pay = (payer: number, to: Address, amount: bigint) =>
    toAuthorizedTransfer({ payer, to, amount, salt: `paid week ${salt++}` })
  const times = (count: number, payer: number, amount: bigint, to = SHOP) =>
    Promise.all(Array.from({ length: count }, () => pay(payer, to, amount)))
  const sendAll = (calls: readonly Call[], from = FACILITATOR) => sendCall(chain, from, toBatch(calls))

  for (const wallet of [FACILITATOR, STRANGER]) await chain.fundGas(wallet)
  await chain.skipTime(end - WEEK_SECONDS - chain.genesisSeconds + part)
  await sendAll([...(await times(60, 0, 4_000n)), await pay(0, SHOP, 700_000n)])
  await sendCall(chain, walletOf(3), toPermit2Approval())
  await chain.skipTime(part)
  await sendAll([...(await times(4, 1, 500_000n)), ...(await times(3, 4, 20_000n, BAR))])
  await sendCall(chain, STRANGER, await pay(1, SHOP, 500_000n))
  await chain.skipTime(part)
  await sendAll(await times(3, 2, 1_000_000n))
  await sendCall(chain, SHOP, toPlainTransfer(walletOf(2), 2_000_000n))
  await chain.skipTime(part)
  const permit = { payer: 3, to: SHOP, amount: 250_000n, salt: 'paid week permit' }
  await sendCall(chain, STRANGER, await toPermit2Settlement(permit))
  await sendAll(await times(60, 0, 4_000n))
  await sendCall(chain, SHOP, toPlainTransfer(walletOf(0), 200_000n))
  await chain.skipTime(part)
  await sendAll([...(await times(2, 6, 30_000n)), await pay(SHOP_ACCOUNT, SHOP, 90_000n)])
  await sendCall(chain, walletOf(5), toPlainTransfer(SHOP, 10_000n))
  await sendAll(await times(4, 4, 20_000n, BAR))
  await chain.skipTime(WEEK_SECONDS - 5 * part)
  await sendAll([await pay(1, SHOP, 60_000n), await pay(2, SHOP, 40_000n)])
  // The newest window ends before the newest block.
  await chain.skipTime(1)
  return end
}
