import type { Address } from '@tollbook/chain/hex'
import {
  type AtomicUsdc,
  centsToUsdNumber,
  formatUsdCents,
  toCents,
  toExactUsdNumber,
  toUsdNumber,
} from '@tollbook/chain/usdc'
import { apportionParts } from './apportion-cents.ts'
import type { MerchantFigures } from './figures.ts'
import type {
  FlagRecord,
  GroupReport,
  InferredRevenue,
  ListingRecord,
  MerchantReport,
} from './merchant-report.ts'
import type { Window } from './window.ts'
import { daysOf, toSpan, type WindowDays } from './window.ts'

const LICENSE = 'https://creativecommons.org/licenses/by/4.0/'
const FLAG_NOTE =
  'A flag is a pattern in public on-chain data, not a finding of wrongdoing: a merchant testing its own ' +
  'endpoint, one large customer or a high-volume integration can trip a screen.'

export type ReportParts = {
  readonly figures: MerchantFigures
  readonly window: Window
  readonly generatedAt: Date
  /** Host of the merchant's listings; the address if it has none. */
  readonly name: string
  readonly isClaimed: boolean
  readonly listings: readonly ListingRecord[]
  /** The highest price that the merchant's claim states; null when it states none. */
  readonly maxPrice: AtomicUsdc | null
  /** URL of the only endpoint with a fixed price. */
  readonly endpoints: ReadonlyMap<AtomicUsdc, string>
  readonly pageUrl: string
  readonly badgeUrl: string
}

/** The report of a merchant that was paid in the window (specification, sections 2.1 to 2.6). */
export function composeReport(parts: ReportParts): MerchantReport {
  const { figures, window } = parts
  const dayCents = apportionParts(figures.daily)
  return {
    schema_version: '1',
    generated_at: toUtcText(parts.generatedAt.getTime() / 1000),
    license: LICENSE,
    chain: 'base',
    address: figures.address,
    name: parts.name,
    claimed: parts.isClaimed,
    frozen: false,
    last_seen_week: toUtcDate(window.end),
    rank_by_real_revenue: figures.rank,
    window: {
      start_block: window.startBlock,
      end_block: window.endBlock,
      complete: window.isComplete,
      start: toUtcText(window.start),
      end: toUtcText(window.end),
      days: daysOf(window) as WindowDays,
    },
    claim: claimSentence(parts),
    tx: figures.tx,
    usd: toUsdNumber(figures.amount),
    real_tx: figures.realTx,
    real_usd: toUsdNumber(figures.realAmount),
    buyers: figures.buyers,
    real_buyers: figures.realBuyers,
    top_buyer_share: shareOf(figures.topBuyerAmount, figures.amount),
    effective_buyers: effectiveBuyers(figures),
    ...(figures.returningBuyers !== undefined && { returning_buyers: figures.returningBuyers }),
    ...(figures.fees !== undefined && { fees_usd: toUsdNumber(figures.fees) }),
    flags: flagRecords(figures),
    flag_note: FLAG_NOTE,
    ...(figures.exchangeFlowNote === undefined ? {} : { exchange_flow_note: figures.exchangeFlowNote }),
    paid: {
      median: toExactUsdNumber(figures.paid.median),
      p25: toExactUsdNumber(figures.paid.p25),
      p75: toExactUsdNumber(figures.paid.p75),
      median_passing: toExactUsdNumber(figures.paid.medianPassing),
    },
    bazaar_listings: [...parts.listings].sort(
      (a, b) => a.price_usd - b.price_usd || compareText(a.resource, b.resource),
    ),
    ...(parts.maxPrice !== null && { stated_max_price_usd: toExactUsdNumber(parts.maxPrice) }),
    ...(parts.endpoints.size > 0 && { inferred_revenue: inferRevenue(parts) }),
    daily: figures.daily.map((day, at) => ({
      date: day.date,
      tx: day.tx,
      usd: centsToUsdNumber(dayCents[at]?.reported ?? 0n),
      real_usd: centsToUsdNumber(dayCents[at]?.real ?? 0n),
    })),
    page: parts.pageUrl,
    badge: parts.badgeUrl,
  }
}

/** The report of a merchant group: that of its wallets as one, and their addresses. */
export function toGroupReport(report: MerchantReport, wallets: readonly Address[]): GroupReport {
  return { ...report, wallets }
}

/** The last report of a merchant without payments in a newer published week: it has no rank. */
export function freezeReport(report: MerchantReport): MerchantReport {
  return { ...report, frozen: true, rank_by_real_revenue: null }
}

/** Epoch seconds as ISO 8601 with an explicit offset, such as `2026-11-15T12:00:01+00:00`. */
export function toUtcText(seconds: number): string {
  return `${new Date(Math.floor(seconds) * 1000).toISOString().slice(0, 19)}+00:00`
}

/** Epoch seconds as the UTC date YYYY-MM-DD. */
export function toUtcDate(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10)
}

function claimSentence({ name, figures, window }: ReportParts): string {
  const { amount, realAmount } = figures
  const isVisible = toCents(amount) > 0n
  // From the published cents, as readers compute it; from the exact sums where the dollars round to zero.
  const [real, reported] = isVisible ? [toCents(realAmount), toCents(amount)] : [realAmount, amount]
  // Half up in integers: floor(100 r / u + 1/2).
  const percent = reported === 0n ? 0n : (200n * real + reported) / (2n * reported)
  return (
    `${name} received $${formatUsdCents(realAmount)} of x402 payments passing every screen ` +
    `(${percent}% of $${formatUsdCents(amount)} reported) from ${figures.realBuyers} of ${figures.buyers} ` +
    `buyer wallets on Base in the ${toSpan(daysOf(window))} to ${toUtcDate(window.end)}.`
  )
}

/** Cents add up to those of the totals. */
function inferRevenue({ figures, endpoints }: ReportParts): InferredRevenue {
  const { tx, amount, realTx, realAmount, byPrice = [] } = figures
  const parts = byPrice.map((of) => ({
    ...of,
    amount: of.price * BigInt(of.tx),
    realAmount: of.price * BigInt(of.realTx),
  }))
  const rest = {
    tx: parts.reduce((left, part) => left - part.tx, tx),
    realTx: parts.reduce((left, part) => left - part.realTx, realTx),
    amount: parts.reduce((left, part) => left - part.amount, amount),
    realAmount: parts.reduce((left, part) => left - part.realAmount, realAmount),
  }
  const cents = apportionParts([...parts, rest])
  const toSums = (part: Pick<typeof rest, 'tx' | 'realTx'>, at: number) => ({
    tx: part.tx,
    usd: centsToUsdNumber(cents[at]?.reported ?? 0n),
    real_tx: part.realTx,
    real_usd: centsToUsdNumber(cents[at]?.real ?? 0n),
  })
  return {
    endpoints: parts.map((part, at) => ({
      resource: endpoints.get(part.price) ?? '',
      price_usd: toExactUsdNumber(part.price),
      ...toSums(part, at),
    })),
    unattributed: toSums(rest, parts.length),
  }
}

/** A ratio with four decimals, half up. */
function shareOf(part: AtomicUsdc, whole: AtomicUsdc): number {
  return whole === 0n ? 0 : Number((20_000n * part + whole) / (2n * whole)) / 10_000
}

/**
 * 1 / the sum of squared shares of the reported dollars (inverse Herfindahl index), two decimals, half up: as
 * many buyers of equal size would be as concentrated.
 */
function effectiveBuyers({ amount, buyerSquares }: MerchantFigures): number {
  return buyerSquares === 0n ? 0 : Number((200n * amount * amount + buyerSquares) / (2n * buyerSquares)) / 100
}

/** Differences of rounded running sums, so that rounded flags and real sum add up to the reported sum. */
function flagRecords({ realAmount, flags }: MerchantFigures): Readonly<Record<string, FlagRecord>> {
  const records: Record<string, FlagRecord> = {}
  let running = realAmount
  for (const { kind, tx, amount } of flags) {
    const before = toCents(running)
    running += amount
    records[kind] = { tx, usd: centsToUsdNumber(toCents(running) - before) }
  }
  return records
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
