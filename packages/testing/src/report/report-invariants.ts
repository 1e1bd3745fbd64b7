import assert from 'node:assert/strict'
import { composeReport } from '@tollbook/verify/build/compose-report'
import type { MerchantFigures } from '@tollbook/verify/build/figures'
import type { Window } from '@tollbook/verify/build/window'

/** Section 2.1 of the specification for every report, in whole cents. */
export function checkInvariants(figures: MerchantFigures, window: Window): void {
  const report = composeReport({
    figures,
    window,
    generatedAt: new Date(window.end * 1000),
    name: 'shop.example',
    isClaimed: false,
    listings: [],
    maxPrice: null,
    endpoints: new Map((figures.byPrice ?? []).map(({ price }) => [price, 'https://shop.example/a'])),
    pageUrl: 'https://report.example/page',
    badgeUrl: 'https://report.example/badge',
  })
  assert(report.real_tx <= report.tx)
  assert(report.real_usd <= report.usd)
  assert(report.real_buyers <= report.buyers)
  assert(report.top_buyer_share >= 0 && report.top_buyer_share <= 1)
  const flags = Object.values(report.flags)
  assert.equal(report.tx - report.real_tx, sum(flags.map(({ tx }) => tx)))
  const flaggedCents = sum(flags.map(({ usd }) => Math.round(usd * 100)))
  assert.equal(Math.round(report.usd * 100) - Math.round(report.real_usd * 100), flaggedCents)
  if (flags.length === 0) {
    const { tx, usd, buyers } = report
    assert.deepEqual([report.real_tx, report.real_usd, report.real_buyers], [tx, usd, buyers])
  }
  assert(report.paid.p25 <= report.paid.median && report.paid.median <= report.paid.p75)
  assert.equal(sum(report.daily.map(({ tx }) => tx)), report.tx)
  const cents = (usd: number) => Math.round(usd * 100)
  assert.equal(sum(report.daily.map(({ usd }) => cents(usd))), cents(report.usd))
  assert.equal(sum(report.daily.map(({ real_usd }) => cents(real_usd))), cents(report.real_usd))
  const { endpoints, unattributed } = report.inferred_revenue ?? { endpoints: [] }
  if (unattributed)
    for (const column of ['tx', 'usd', 'real_tx', 'real_usd'] as const) {
      const found: number[] = [...endpoints, unattributed].map((each) => cents(each[column]))
      assert.equal(sum(found), cents(report[column]))
      assert(Math.min(...found) >= 0)
    }
  assert(report.daily.length >= 1 && report.daily.length <= 8)
  const dates = report.daily.map(({ date }) => date)
  assert.deepEqual(dates, [...new Set(dates)].sort())
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((rest, each) => rest + each, 0)
}
