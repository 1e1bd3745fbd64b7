import type { ScreenedPayment } from '@tollbook/report/build/read-evidence'
import type { Figures } from '@tollbook/report/run/figures'
import type { MerchantFigures } from '@tollbook/verify/build/figures'

// Sunday 2026-11-15 12:00:01 UTC: blocks of Base carry odd seconds, so the first at or after noon is a second late.
const END = 1_794_744_001
// (1794744001 - 1686789347) / 2
const END_BLOCK = 53_977_327

/**
 * Paid by four wallets, sums in micro-USDC worked out by hand:
 *   b1 pays 120 x 0.01 = 1.20, all flagged tiny_repeat; b2 pays 10 x 0.50 = 5.00; b3 pays 2.345678 once;
 *   the merchant itself pays 1.00 once, flagged self_pay.
 * Reported 9.545678 in 132, real 7.345678 in 11. By amount: 120 x 0.01, 10 x 0.5, 1, 2.345678, so p25, median
 * and p75 (33rd, 66th, 99th) are 0.01; passing are 10 x 0.5 and 2.345678, the 6th is 0.5.
 */
export const BUSY: MerchantFigures = {
  address: '0x00000000000000000000000000000000000000a1',
  rank: 1,
  tx: 132,
  amount: 9_545_678n,
  realTx: 11,
  realAmount: 7_345_678n,
  buyers: 4,
  realBuyers: 2,
  returningBuyers: 1,
  topBuyerAmount: 5_000_000n,
  floor: 1_000n,
  // 1.2, 5, 2.345678 and 1 dollars, squared.
  buyerSquares: 1_200_000n ** 2n + 5_000_000n ** 2n + 2_345_678n ** 2n + 1_000_000n ** 2n,
  flags: [
    { kind: 'self_pay', tx: 1, amount: 1_000_000n },
    { kind: 'tiny_repeat', tx: 120, amount: 1_200_000n },
  ],
  paid: { p25: 10_000n, median: 10_000n, p75: 10_000n, medianPassing: 500_000n },
  byPrice: [
    { price: 10_000n, tx: 120, realTx: 0 },
    { price: 500_000n, tx: 10, realTx: 10 },
  ],
  daily: [
    { date: '2026-11-08', tx: 60, amount: 600_000n, realAmount: 0n },
    { date: '2026-11-10', tx: 10, amount: 5_000_000n, realAmount: 5_000_000n },
    { date: '2026-11-12', tx: 1, amount: 1_000_000n, realAmount: 0n },
    { date: '2026-11-14', tx: 1, amount: 2_345_678n, realAmount: 2_345_678n },
    { date: '2026-11-15', tx: 60, amount: 600_000n, realAmount: 0n },
  ],
}

/** Paid 3 x 0.005 by one wallet; nothing flagged, nothing listed. */
export const QUIET: MerchantFigures = {
  address: '0x00000000000000000000000000000000000000b2',
  rank: 2,
  tx: 3,
  amount: 15_000n,
  realTx: 3,
  realAmount: 15_000n,
  buyers: 1,
  realBuyers: 1,
  topBuyerAmount: 15_000n,
  floor: 1_000n,
  buyerSquares: 15_000n ** 2n,
  flags: [],
  paid: { p25: 5_000n, median: 5_000n, p75: 5_000n, medianPassing: 5_000n },
  daily: [{ date: '2026-11-09', tx: 3, amount: 15_000n, realAmount: 15_000n }],
}

/** Without what is known besides the chain. */
export type SampleFigures = Omit<Figures, 'claimsAndListings'>

/** Figures of the week that ends on Sunday 2026-11-15. */
export function sampleFigures(change: Partial<SampleFigures> = {}): SampleFigures {
  return {
    edition: 'rolling',
    window: {
      startBlock: END_BLOCK - 302_400,
      endBlock: END_BLOCK,
      start: END - 604_800,
      end: END,
      isComplete: true,
    },
    methodVersion: '1',
    merchants: [BUSY, QUIET],
    ...change,
  }
}

/** The same figures `blocks` blocks later. */
export function laterFigures(blocks: number, change: Partial<SampleFigures> = {}): SampleFigures {
  const { window } = sampleFigures()
  return sampleFigures({
    window: {
      ...window,
      startBlock: window.startBlock + blocks,
      endBlock: window.endBlock + blocks,
      start: window.start + 2 * blocks,
      end: window.end + 2 * blocks,
    },
    ...change,
  })
}

/** Three payments of a window: one that passes, one of each form of flag. */
export const EVIDENCE: readonly ScreenedPayment[] = [
  {
    blockNumber: 53_700_000,
    logIndex: 7,
    timestamp: 1_794_189_347,
    transaction: `0x${'ab'.repeat(32)}`,
    buyer: '0x00000000000000000000000000000000000000c1',
    amount: 500_000n,
    fee: 1_000n,
    flag: null,
  },
  {
    blockNumber: 53_700_000,
    logIndex: 9,
    timestamp: 1_794_189_347,
    transaction: `0x${'ab'.repeat(32)}`,
    buyer: '0x00000000000000000000000000000000000000c2',
    amount: 10_000n,
    flag: 'tiny_repeat',
  },
  {
    blockNumber: 53_700_001,
    logIndex: 0,
    timestamp: 1_794_189_349,
    transaction: `0x${'cd'.repeat(32)}`,
    buyer: '0x00000000000000000000000000000000000000a1',
    amount: 1_000_000n,
    flag: 'self_pay',
  },
]
