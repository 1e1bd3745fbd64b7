import { toUsdNumber } from '../../../money/usdc.ts'
import type { MerchantReport } from '../../build/merchant-report.ts'
import type { Alert } from '../../claims/alerts/outbox.ts'
import type { Webhook } from '../../claims/alerts/webhooks.ts'
import { isUnhealthy } from '../../listings/endpoint-health.ts'

/** A longer list is cut; the report has all endpoints. */
const MAX_ENDPOINTS = 50

/** What is new in a rolling report: flags, each once a day, and endpoints that can no longer be paid. */
export function findNews(before: MerchantReport | null, after: MerchantReport): readonly Alert[] {
  const { address, page, window } = after
  const flags = Object.entries(after.flags)
    .filter(([kind]) => before?.flags[kind] === undefined)
    .map(([kind, sums]) => ({
      event: 'flag.new' as const,
      key: `${kind} ${window.end.slice(0, 10)}`,
      data: { address, report: page, window_end: window.end, flag: kind, ...sums },
    }))
  const known = new Set(listUnhealthy(before).map(({ resource }) => resource))
  const endpoints = listUnhealthy(after).filter(({ resource }) => !known.has(resource))
  if (endpoints.length === 0) return flags
  const data = {
    address,
    report: page,
    count: endpoints.length,
    endpoints: endpoints.slice(0, MAX_ENDPOINTS),
  }
  return [...flags, { event: 'endpoint.unhealthy', key: JSON.stringify(endpoints), data }]
}

/** A merchant's entry in a published week. */
export type WeekEntry = { readonly rank: number | null; readonly realAmount: number }

export type WeekChange = {
  readonly address: string
  /** URL of the report of the newer week. */
  readonly report: string
  /** The newer week, by its last day. */
  readonly week: string
  readonly before: WeekEntry
  /** Null if the merchant was not paid. */
  readonly after: WeekEntry | null
}

/** What changed from one published week to the next by more than a webhook's thresholds. */
export function findWeekChanges(
  { address, report, week, before, after }: WeekChange,
  { rankPlaces, dropPercent }: Pick<Webhook, 'rankPlaces' | 'dropPercent'>,
): readonly Alert[] {
  const alerts: Alert[] = []
  const common = { address, report, week }
  const rank = after?.rank ?? null
  // A merchant that was not ranked has not moved by a number of places.
  const isMoved = before.rank !== null && (rank === null || Math.abs(rank - before.rank) >= rankPlaces)
  if (isMoved)
    alerts.push({ event: 'rank.changed', key: week, data: { ...common, rank_before: before.rank, rank } })
  const amount = after?.realAmount ?? 0
  if (before.realAmount > 0 && 100 * (before.realAmount - amount) >= dropPercent * before.realAmount) {
    const usd = { real_usd_before: toUsd(before.realAmount), real_usd: toUsd(amount) }
    alerts.push({ event: 'revenue.dropped', key: week, data: { ...common, ...usd } })
  }
  return alerts
}

function listUnhealthy(report: MerchantReport | null) {
  return (report?.bazaar_listings ?? []).flatMap(({ resource, health }) =>
    health && isUnhealthy(health.state) ? [{ resource, ...health }] : [],
  )
}

function toUsd(microUsdc: number): number {
  return toUsdNumber(BigInt(microUsdc))
}
