import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addUpFigures } from '@tollbook/verify/build/add-up-figures'
import { composeReport } from '@tollbook/verify/build/compose-report'
import { judgeNow } from './judge-town.ts'
import { buildTown } from './town.ts'

test('a ring of 32 wallets with 149,000 dollars is caught, with the money that fills it first', () => {
  const town = buildTown()
  const [shop, treasury] = [town.wallet(), town.wallet()]
  const ring = Array.from({ length: 32 }, () => town.wallet())
  // 149,000 / 32 = 4,656.25. The treasury fills each wallet in turn with what the merchant returned.
  for (const wallet of ring) {
    town.send(treasury, wallet, 4_656.25)
    town.pay(wallet, shop, 4_656.25)
    town.send(shop, treasury, 4_656.25)
  }
  const { reportedUsd, passingUsd, flags } = judgeNow(town)
  assert.deepEqual({ reportedUsd, passingUsd }, { reportedUsd: 149_000, passingUsd: 0 })
  assert.deepEqual(flags, { funded_by_merchant: 149_000 })
})

test('a ring whose 32 wallets pay each other in a circle around the merchant is caught as well', () => {
  const town = buildTown()
  const shop = town.wallet()
  const ring = Array.from({ length: 32 }, () => town.wallet())
  for (const [at, wallet] of ring.entries()) {
    town.pay(wallet, shop, 4_656.25)
    town.send(shop, ring[(at + 1) % ring.length] ?? shop, 4_656.25)
  }
  const { reportedUsd, passingUsd } = judgeNow(town)
  assert.deepEqual({ reportedUsd, passingUsd }, { reportedUsd: 149_000, passingUsd: 0 })
})

test('a seller with 99.58 % from one payer has 1.008 effective buyers, and no flag', () => {
  // 1,000 dollars: 995.80 from one payer in 100 payments, and 0.60 from each of seven others.
  const whale = Array.from({ length: 100 }, () => ({ buyer: wallet(1), amount: 9_958_000n }))
  const others = Array.from({ length: 7 }, (_, at) => ({ buyer: wallet(2 + at), amount: 600_000n }))
  const payments = [...whale, ...others].map((each) => ({ ...each, timestamp: 1_000, flag: null }))
  const figures = addUpFigures(wallet(9), payments, { kinds: [], floor: 1_000n, unique: [] })
  assert.equal(figures.amount, 1_000_000_000n)
  const report = composeReport({
    figures,
    window: { startBlock: 0, endBlock: 302_400, start: 0, end: 604_800, isComplete: true },
    generatedAt: new Date(604_800_000),
    name: 'seller.example',
    isClaimed: false,
    listings: [],
    maxPrice: null,
    endpoints: new Map(),
    pageUrl: 'https://report.example/merchants/base/x',
    badgeUrl: 'https://report.example/badge.svg',
  })
  const { buyers, top_buyer_share: share, effective_buyers: effective, flags } = report
  // 1 / (0.9958^2 + 7 x 0.0006^2) = 1 / (0.99161764 + 0.00000252) = 1.00845
  assert.deepEqual(
    { buyers, share, effective, flags },
    { buyers: 8, share: 0.9958, effective: 1.01, flags: {} },
  )
  assert.equal(figures.buyerSquares, 991_620_160_000_000_000n)
})

function wallet(at: number): `0x${string}` {
  return `0x${at.toString(16).padStart(40, '0')}`
}
