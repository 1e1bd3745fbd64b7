import type { Address } from '@tollbook/chain/hex'
import type { ChainPlan } from '@tollbook/testing/simulated-chain/chain'
import list from '../packages/verify/src/chain/data/base-facilitators.json' with { type: 'json' }

export type WeekSize = {
  /** The first block of the week. */
  readonly firstBlock: number
  readonly blocks: number
  readonly payments: number
}

/** The busiest seven days observed on Base in 2026: about four million payments. */
export const PEAK_WEEK: WeekSize = { firstBlock: 40_000_000, blocks: 302_400, payments: 4_000_000 }

/** One payer of one merchant made 92.7 % of the payments in 30 days, in 122,438 distinct amounts. */
const MAX_PAIR_SHARE = 0.927
const MAX_PAIR_AMOUNTS = 122_438
/** Half of its payments do not exceed this, in micro-USDC. */
const MAX_PAIR_MEDIAN = 7_400
/** Other wallets in the same days. */
const MERCHANTS = 884
const BUYERS = 12_450
/** Prices in micro-USDC, as listings show them. */
const PRICES = [1_000, 2_000, 2_237, 5_000, 10_000, 10_000, 20_000, 100_000] as const
const FACILITATORS = list.facilitators.slice(0, 20).map(({ address }) => address as Address)

/** A week modelled on observations of Base, spread evenly over its blocks. Each payment is a transaction. */
export function planWeek({ firstBlock, blocks, payments }: WeekSize): ChainPlan {
  const firstOf = (block: number) => Math.floor(((block - firstBlock) * payments) / blocks)
  return (block) => {
    if (block < firstBlock || block >= firstBlock + blocks) return []
    const first = firstOf(block)
    return Array.from({ length: firstOf(block + 1) - first }, (_, at) => ({
      sender: FACILITATORS[(first + at) % FACILITATORS.length] ?? '0x',
      payments: [toPayment(first + at)],
    }))
  }
}

function toPayment(number: number) {
  const by = 'authorization' as const
  if (toFraction(number) < MAX_PAIR_SHARE) {
    const isLow = toFraction(number + 0x2000_0000) < 0.5
    const [low, high] = isLow ? [1, MAX_PAIR_MEDIAN] : [MAX_PAIR_MEDIAN, MAX_PAIR_AMOUNTS]
    const amount = low + Math.floor(toFraction(number + 0x4000_0000) * (high - low))
    return { buyer: toWallet(0xb0, 0), merchant: toWallet(0x5e, 0), amount, by }
  }
  // Zipf-like: a few wallets pay and receive most.
  const buyer = 1 + Math.floor(BUYERS ** toFraction(number + 0x2000_0000))
  const merchant = 1 + Math.floor(MERCHANTS ** toFraction(number + 0x4000_0000))
  const amount = PRICES[merchant % PRICES.length] ?? 1_000
  return { buyer: toWallet(0xb0, buyer), merchant: toWallet(0x5e, merchant), amount, by }
}

/** A fixed number in [0, 1) for each integer. */
function toFraction(number: number): number {
  let mixed = Math.imul(number ^ (number >>> 16), 0x7feb352d)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b)
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32
}

function toWallet(kind: number, number: number): Address {
  return `0x${kind.toString(16)}${(Math.imul(number + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0')}${number.toString(16).padStart(30, '0')}`
}
