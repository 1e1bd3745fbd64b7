import { CONTRACTS } from '@tollbook/chain/contracts'
import type { Address, Hex } from '@tollbook/chain/hex'
import { formatUsd } from '@tollbook/chain/usdc'
import type { State } from '@tollbook/cli/commands/state/state'
import type { DevChain } from '@tollbook/devchain/dev-chain'
import { replaceListings } from '@tollbook/report/listings/stored-listings'
import {
  type Call,
  clientAccount,
  sendCall,
  toAuthorizedTransfer,
  toBatch,
  toPermit2Approval,
  toPermit2Settlement,
  toPlainTransfer,
  toProxySettlement,
} from '@tollbook/testing/report/chain-payments'
import { storeClaim } from '@tollbook/testing/report/store-claim'
import runtimeCode from '../../packages/devchain/src/contracts/runtime-code.json' with { type: 'json' }

/** Saturday 2026-10-31 00:00:00 UTC: the chain begins before the week before. */
export const GENESIS = Date.UTC(2026, 9, 31) / 1000
/** Sunday 2026-11-15 12:00:01 UTC: the week ends with the first block from noon on, and blocks of Base are odd. */
export const END = Date.UTC(2026, 10, 15, 12, 0, 1) / 1000
const START = END - 604_800
const DAY = 86_400

export const FACILITATOR: Address = `0x${'fa'.repeat(20)}`
/** Sends payments, and is not in any list of facilitators. */
const STRANGER: Address = `0x${'57'.repeat(20)}`
/** A merchant that nobody lists at first. */
export const BAR: Address = `0x${'5b'.repeat(20)}`
const SHOP_ACCOUNT = 9
export const SHOP = walletOf(SHOP_ACCOUNT)
/** What the shop discloses as its own. */
export const OWN_WALLET = walletOf(6)

export type PlayedWeek = {
  /** The first block after the week. */
  readonly endBlock: number
  /** Payments to the shop in the order of the chain: transaction, buyer, dollars, flag. */
  readonly payments: readonly (readonly [Hex, Address, string, string])[]
}

/**
 * Plays a week in which the shop is paid in every way that counts, and in some that do not, in micro-USDC:
 *
 *   date    buyer                                        counts  sum
 *   11-08   0: 9,000,000 a second before the week, so 0 returns   no
 *   11-08   1: 500,000 in the week's first second; 0: 1,234,567          2  1,734,567
 *   11-09   one batch: 1: 250,000, 2: 750,000, 3: 5,000                  3  1,005,000
 *   11-10   4: 100,000 through the exact proxy, sent by a stranger       1    100,000
 *   11-11   4: 150,000 through the upto proxy, of 200,000 signed         1    150,000
 *   11-12   4: 300,000 and 400,000 through the two earlier proxies       2    700,000
 *   11-13   5: 100 x 9,999, tiny_repeat, and 20,000                    101  1,019,900
 *           The shop sends 5 another 200,000: all that 5 gets in the week, and less than half of what it pays.
 *   11-14   9 (the shop): 703,000, self_pay; 6 (its own): 300,000, self_pay;
 *           8: 600,000 sent by a stranger, since the shop is listed      3  1,603,000
 *   11-15   7: 1,992,500, of which the shop sends 996,250 back,
 *           the very half: round_trip                                    1  1,992,500
 *   11-15   8: 900,000 by a plain transfer               no
 *   11-15   0: 5,000,000 in the first second after it    no
 *
 * All: 114 payments of 8,304,967. Flagged: self_pay 1,003,000 in 2, round_trip 1,992,500 in 1, tiny_repeat 999,900
 * in 100. So 4,309,567 in 11 are real. In cents: real 431; with self_pay 5,312,567 is 531, so self_pay 100; with
 * round_trip 7,305,067 is 731, so round_trip 200; all is 830, so tiny_repeat 99.
 * Share of the largest buyer: 1,992,500 / 8,304,967 = 0.23992. Its square, and those of 1,234,567, 2 x 750,000,
 * 5,000, 950,000, 1,019,900, 703,000, 300,000 and 600,000 are 9.506e+12: effective buyers are 7.256. Passing: 4,309,567 / 8,304,967 = 51.9 %.
 * Ascending: 5,000, 100 x 9,999, 13 more, so the 29th, 57th and 86th are 9,999. Passing ones: 5,000, 20,000,
 * 100,000, 150,000, 250,000, 300,000, ..., so the 6th of 11 is 300,000.
 * By endpoint: 5,000 and 500,000 are listed prices, each paid once, and pass. Of the 830 cents reported and 431 real, the
 * endpoints have 0 and 50, so the rest, 7,799,967 in 112 and 3,804,567 in 9, has 780 and 381.
 * The bar gets 1 of account 0 by the facilitator, and 50,000 of account 1 by a stranger, which do not count.
 * The facilitator's own wallet gets 3,000,000, which do not either.
 */
export async function playEveryPayment(chain: DevChain): Promise<PlayedWeek> {
  let salt = 0
  const payments: (readonly [Hex, Address, string, string])[] = []
  const sign = (payer: number, amount: bigint, to = SHOP) => ({ payer, to, amount, salt: `every ${salt++}` })
  const pay = (payer: number, amount: bigint, to = SHOP) => toAuthorizedTransfer(sign(payer, amount, to))
  const send = async (seconds: number, call: Call, from = FACILITATOR) => {
    await chain.rpc.call('evm_setNextBlockTimestamp', [seconds])
    return sendCall(chain, from, call)
  }
  const note = (hash: Hex, payer: number, amount: bigint, flag = '') =>
    payments.push([hash, walletOf(payer), formatUsd(amount), flag])

  for (const wallet of [FACILITATOR, STRANGER]) await chain.fundGas(wallet)
  const codes = CONTRACTS.earlierProxies.map((proxy) => [proxy, runtimeCode.DevExactProxy])
  for (const params of codes) await chain.rpc.call('anvil_setCode', params)
  await sendCall(chain, walletOf(4), toPermit2Approval())

  await send(START - 1, await pay(0, 9_000_000n))
  note(await send(START, await pay(1, 500_000n)), 1, 500_000n)
  note(await send(START + 3_600, await pay(0, 1_234_567n)), 0, 1_234_567n)

  const batch = [
    [1, 250_000n],
    [2, 750_000n],
    [3, 5_000n],
  ] as const
  const batched = toBatch(await Promise.all(batch.map(([payer, amount]) => pay(payer, amount))))
  const together = await send(START + DAY, batched)
  for (const [payer, amount] of batch) note(together, payer, amount)

  const exact = await toPermit2Settlement(sign(4, 100_000n))
  note(await send(START + 2 * DAY, exact, STRANGER), 4, 100_000n)
  const upto = await toPermit2Settlement(sign(4, 200_000n), {
    facilitator: FACILITATOR,
    settled: 150_000n,
  })
  note(await send(START + 3 * DAY, upto), 4, 150_000n)
  for (const [at, amount] of [300_000n, 400_000n].entries()) {
    const earlier = await toProxySettlement(sign(4, amount), CONTRACTS.earlierProxies[at] ?? '0x')
    note(await send(START + 4 * DAY + at, earlier, STRANGER), 4, amount)
  }

  const tiny = await Promise.all(Array.from({ length: 100 }, () => pay(5, 9_999n)))
  const many = await send(START + 5 * DAY, toBatch([...tiny, await pay(5, 20_000n)]))
  for (const _ of tiny) note(many, 5, 9_999n, 'tiny_repeat')
  note(many, 5, 20_000n)
  await send(START + 5 * DAY + 1, toPlainTransfer(walletOf(5), 200_000n), SHOP)

  const self = await send(START + 6 * DAY, await pay(SHOP_ACCOUNT, 703_000n))
  note(self, SHOP_ACCOUNT, 703_000n, 'self_pay')
  note(await send(START + 6 * DAY + 1, await pay(6, 300_000n)), 6, 300_000n, 'self_pay')
  note(await send(START + 6 * DAY + 2, await pay(8, 600_000n), STRANGER), 8, 600_000n)
  await send(START + 6 * DAY + 3, await pay(1, 50_000n, BAR), STRANGER)
  await send(START + 6 * DAY + 4, await pay(0, 1n, BAR))
  await send(START + 6 * DAY + 5, await pay(0, 3_000_000n, FACILITATOR))

  note(await send(END - 4, await pay(7, 1_992_500n)), 7, 1_992_500n, 'round_trip')
  await send(END - 3, toPlainTransfer(walletOf(7), 996_250n), SHOP)
  await send(END - 2, toPlainTransfer(SHOP, 900_000n), walletOf(8))
  await send(END, await pay(0, 5_000_000n))
  const endBlock = Number(await chain.rpc.call<string>('eth_blockNumber', []))
  return { endBlock, payments }
}

/** Lists two endpoints of the shop. @param cheap the description of one of them. */
export async function listShop(state: State, readAt: Date, cheap = 'Cheap.'): Promise<void> {
  const host = 'shop.example'
  const offer = { host, payTo: SHOP, operation: 'GET', schemes: ['exact'], lastSeen: readAt }
  await replaceListings(state, 'https://source.example', {
    listings: [
      // 300 characters, of which a report shows 240 at most, cut between words.
      {
        ...offer,
        resource: `https://${host}/dear`,
        price: 500_000n,
        description: 'Ten bytes '.repeat(30).trim(),
      },
      { ...offer, resource: `https://${host}/cheap`, price: 5_000n, description: cheap },
    ],
    readAt,
  })
}

/** Lists the bar at one catalogue; once that one has forgotten it, what the listing made count stays counted. */
export async function listBar(state: State, readAt: Date, { isGone = false } = {}): Promise<void> {
  const host = 'bar.example'
  const offer = { host, payTo: BAR, operation: 'GET', schemes: ['exact'], lastSeen: readAt }
  const listing = { ...offer, resource: `https://${host}/`, price: 50_000n, description: 'A drink.' }
  await replaceListings(state, 'https://other.example', { listings: isGone ? [] : [listing], readAt })
}

/** Stores an accepted claim of the shop. */
export function claimShop(
  state: State,
  madeAt: Date,
  disclosures: readonly Address[] = [OWN_WALLET],
): Promise<void> {
  return storeClaim(state, { address: SHOP, madeAt, disclosures })
}

function walletOf(account: number): Address {
  return clientAccount(account).address.toLowerCase() as Address
}
