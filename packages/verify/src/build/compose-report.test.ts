import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { composeReport, freezeReport, type ReportParts } from './compose-report.ts'
import type { MerchantFigures } from './figures.ts'

const figures: MerchantFigures = {
  address: '0x1111111111111111111111111111111111111111',
  rank: 3,
  tx: 300,
  amount: 2_345_678n,
  realTx: 180,
  realAmount: 1_245_678n,
  buyers: 12,
  realBuyers: 11,
  topBuyerAmount: 1_100_000n,
  floor: 1_000n,
  // Two buyers of 1.1 and one of 0.145678 dollars.
  buyerSquares: 2n * 1_100_000n ** 2n + 145_678n ** 2n,
  flags: [{ kind: 'tiny_repeat', tx: 120, amount: 1_100_000n }],
  paid: { p25: 2_237n, median: 5_000n, p75: 10_000n, medianPassing: 7_000n },
  daily: [
    { date: '2026-11-08', tx: 100, amount: 1_004_999n, realAmount: 5_000n },
    { date: '2026-11-15', tx: 200, amount: 1_340_679n, realAmount: 1_240_678n },
  ],
}
const parts: ReportParts = {
  figures,
  window: {
    startBlock: 53_571_027,
    endBlock: 53_873_427,
    start: Date.UTC(2026, 10, 8, 12, 0, 1) / 1000,
    end: Date.UTC(2026, 10, 15, 12, 0, 1) / 1000,
    isComplete: true,
  },
  generatedAt: new Date(Date.UTC(2026, 10, 15, 12, 30, 59, 999)),
  name: 'shop.example',
  isClaimed: true,
  listings: [
    { resource: 'https://shop.example/b', price_usd: 0.01, description: 'B' },
    { resource: 'https://shop.example/c', price_usd: 0.002, description: 'C' },
    { resource: 'https://shop.example/a', price_usd: 0.01, description: 'A' },
  ],
  maxPrice: null,
  endpoints: new Map(),
  pageUrl: 'https://report.example/merchants/base/0x1',
  badgeUrl: 'https://report.example/merchants/base/0x1/badge.svg',
}

test('a report has the fields of the specification in its order', () => {
  assert.equal(
    JSON.stringify(composeReport(parts), null, 1),
    JSON.stringify(
      {
        schema_version: '1',
        generated_at: '2026-11-15T12:30:59+00:00',
        license: 'https://creativecommons.org/licenses/by/4.0/',
        chain: 'base',
        address: '0x1111111111111111111111111111111111111111',
        name: 'shop.example',
        claimed: true,
        frozen: false,
        last_seen_week: '2026-11-15',
        rank_by_real_revenue: 3,
        window: {
          start_block: 53_571_027,
          end_block: 53_873_427,
          complete: true,
          start: '2026-11-08T12:00:01+00:00',
          end: '2026-11-15T12:00:01+00:00',
          days: 7,
        },
        // 1.245678 / 2.345678 = 53.1 %.
        claim:
          'shop.example received $1.25 of x402 payments passing every screen (53% of $2.35 reported) from 11 of ' +
          '12 buyer wallets on Base in the 7 days to 2026-11-15.',
        tx: 300,
        usd: 2.35,
        real_tx: 180,
        real_usd: 1.25,
        buyers: 12,
        real_buyers: 11,
        // 1.1 / 2.345678 = 0.46894...
        top_buyer_share: 0.4689,
        // 2.345678^2 / (2 x 1.1^2 + 0.145678^2) = 2.2538
        effective_buyers: 2.25,
        flags: { tiny_repeat: { tx: 120, usd: 1.1 } },
        flag_note:
          'A flag is a pattern in public on-chain data, not a finding of wrongdoing: a merchant testing its own ' +
          'endpoint, one large customer or a high-volume integration can trip a screen.',
        paid: { median: 0.005, p25: 0.002237, p75: 0.01, median_passing: 0.007 },
        bazaar_listings: [
          { resource: 'https://shop.example/c', price_usd: 0.002, description: 'C' },
          { resource: 'https://shop.example/a', price_usd: 0.01, description: 'A' },
          { resource: 'https://shop.example/b', price_usd: 0.01, description: 'B' },
        ],
        daily: [
          // 1.004999 and 1.340679 are 2.35 together: the larger remainder, 0.4999, gets the cent that both lack.
          { date: '2026-11-08', tx: 100, usd: 1.01, real_usd: 0.01 },
          { date: '2026-11-15', tx: 200, usd: 1.34, real_usd: 1.24 },
        ],
        page: 'https://report.example/merchants/base/0x1',
        badge: 'https://report.example/merchants/base/0x1/badge.svg',
      },
      null,
      1,
    ),
  )
})

test('revenue by endpoint is inferred from prices, and the rest makes each column add up', () => {
  const byPrice = [
    { price: 2_000n, tx: 120, realTx: 0 },
    { price: 5_015n, tx: 100, realTx: 100 },
  ]
  const endpoints = new Map([
    [2_000n, 'https://shop.example/c'],
    [5_015n, 'https://shop.example/a'],
    [9_000n, 'https://shop.example/unpaid'],
  ])
  const report = composeReport({ ...parts, endpoints, figures: { ...figures, byPrice } })
  // Reported 2.345678 = 0.24 + 0.5015 + 1.604178, and the largest remainder gets the missing cent.
  // Flagged 1.1 = 0.24 + 0 + 0.86.
  assert.deepEqual(report.inferred_revenue, {
    endpoints: [
      {
        resource: 'https://shop.example/c',
        price_usd: 0.002,
        tx: 120,
        usd: 0.24,
        real_tx: 0,
        real_usd: 0,
      },
      {
        resource: 'https://shop.example/a',
        price_usd: 0.005015,
        tx: 100,
        usd: 0.5,
        real_tx: 100,
        real_usd: 0.5,
      },
    ],
    unattributed: { tx: 80, usd: 1.61, real_tx: 80, real_usd: 0.75 },
  })
  const none = composeReport({ ...parts, endpoints, figures })
  const { tx, usd, real_tx, real_usd } = none
  assert.deepEqual(none.inferred_revenue, { endpoints: [], unattributed: { tx, usd, real_tx, real_usd } })
})

test('fees of routers are in a figure of their own, absent without fees', () => {
  const withFees = composeReport({ ...parts, figures: { ...figures, fees: 91_604n } })
  // 0.091604 dollars.
  assert.deepEqual(withFees, { ...composeReport(parts), fees_usd: 0.09 })
})

test('the note about exchanges is absent, null or a sentence', () => {
  const compose = (more: Partial<MerchantFigures>) =>
    composeReport({ ...parts, figures: { ...figures, ...more } })
  assert(!Object.keys(compose({})).includes('exchange_flow_note'))
  assert.equal(compose({ exchangeFlowNote: null }).exchange_flow_note, null)
  const keys = Object.keys(compose({ exchangeFlowNote: 'A quarter came from an exchange.' }))
  assert.equal(keys[keys.indexOf('flag_note') + 1], 'exchange_flow_note')
})

test('a frozen report loses only its rank', () => {
  const report = composeReport(parts)
  assert.deepEqual(freezeReport(report), { ...report, frozen: true, rank_by_real_revenue: null })
  assert.deepEqual(Object.keys(freezeReport(report)), Object.keys(report))
})

test('the percentage of the claim is rounded half up, and is 0 for a merchant that received less than a cent', () => {
  const percentOf = (realAmount: bigint, amount: bigint) =>
    /\((\d+)%/.exec(composeReport({ ...parts, figures: { ...figures, amount, realAmount } }).claim)?.[1]
  assert.equal(percentOf(1n, 200n), '1')
  assert.equal(percentOf(1n, 201n), '0')
  assert.equal(percentOf(200n, 200n), '100')
  assert.equal(percentOf(0n, 0n), '0')
})

test('the percentage of the claim is computed from the published dollars', () => {
  // 0.155 of 0.5599: exactly 27.7 %, but a reader computes 0.16 / 0.56 = 28.6 %.
  const claim = composeReport({
    ...parts,
    figures: { ...figures, amount: 559_900n, realAmount: 155_000n, flags: [] },
  }).claim
  assert.match(claim, /received \$0\.16 of .* \(29% of \$0\.56 reported\)/)
  // Both round to $0.00: only the exact sums can tell.
  const tiny = { ...figures, amount: 4_000n, realAmount: 4_000n, flags: [] }
  assert.match(composeReport({ ...parts, figures: tiny }).claim, /\$0\.00 .* \(100% of \$0\.00 reported\)/)
})

test('the cents of the dates add up to the totals, and no date has more passing than reported', () => {
  const day = fc.record({
    real: fc.bigInt(0n, 30_000n),
    flagged: fc.oneof(fc.constant(0n), fc.bigInt(0n, 30_000n)),
  })
  fc.assert(
    fc.property(fc.array(day, { minLength: 1, maxLength: 8 }), (days) => {
      const realAmount = days.reduce((sum, { real }) => sum + real, 0n)
      const flagged = days.reduce((sum, each) => sum + each.flagged, 0n)
      const report = composeReport({
        ...parts,
        figures: {
          ...figures,
          amount: realAmount + flagged,
          realAmount,
          flags: [{ kind: 'tiny_repeat', tx: 120, amount: flagged }],
          daily: days.map(({ real, flagged }, at) => ({
            date: `2026-11-0${at + 1}`,
            tx: 1,
            amount: real + flagged,
            realAmount: real,
          })),
        },
      })
      const cents = (usd: number) => Math.round(usd * 100)
      const sum = (key: 'usd' | 'real_usd') => report.daily.reduce((sum, each) => sum + cents(each[key]), 0)
      assert.equal(sum('usd'), cents(report.usd))
      assert.equal(sum('real_usd'), cents(report.real_usd))
      report.daily.forEach(({ usd, real_usd }, at) => {
        assert(real_usd <= usd)
        // The other cent of a sum that lies between two.
        assert(Math.abs(cents(usd) - Number((days[at]?.real ?? 0n) + (days[at]?.flagged ?? 0n)) / 10_000) < 1)
      })
    }),
  )
})

test('a date without flagged payments has all of its dollars passing', () => {
  // 0.4, 0.4 and 0.7 cents are 1.5, so 2 cents: the larger remainders get them, and the flagged 0.7 its one.
  const daily = [4_000n, 4_000n, 7_000n].map((amount, at) => ({
    date: `2026-11-0${at + 1}`,
    tx: 1,
    amount,
    realAmount: at === 2 ? 0n : amount,
  }))
  const flags = [{ kind: 'tiny_repeat', tx: 1, amount: 7_000n }]
  const report = composeReport({
    ...parts,
    figures: { ...figures, amount: 15_000n, realAmount: 8_000n, flags, daily },
  })
  assert.deepEqual(
    report.daily.map(({ usd, real_usd }) => [usd, real_usd]),
    [
      [0.01, 0.01],
      [0, 0],
      [0.01, 0],
    ],
  )
})

test('the cents of any number of flags add up to the difference of the rounded totals', () => {
  const amount = fc.bigInt(0n, 2n ** 60n)
  const flags = fc.array(amount, { maxLength: 6 })
  fc.assert(
    fc.property(amount, flags, (realAmount, flagged) => {
      const total = flagged.reduce((sum, each) => sum + each, realAmount)
      const report = composeReport({
        ...parts,
        figures: {
          ...figures,
          realAmount,
          amount: total,
          flags: flagged.map((each, at) => ({ kind: `kind_${at}`, tx: 1, amount: each })),
        },
      })
      // Half up, in whole cents: (x + 5000) / 10000.
      const cents = (each: bigint) => (each + 5_000n) / 10_000n
      const records = Object.values(report.flags)
      const sum = records.reduce((rest, { usd }) => rest + BigInt(Math.round(usd * 100)), 0n)
      assert.equal(sum, cents(total) - cents(realAmount))
      for (const [at, { usd }] of records.entries())
        assert(Math.abs(usd - Number(flagged[at]) / 1e6) <= 0.0101 + usd * 1e-15)
    }),
  )
})
