import { toUsdNumber } from '@tollbook/chain/usdc'
import type { MerchantReport } from '@tollbook/verify/build/merchant-report'
import { reportUrl } from '@tollbook/verify/published/links'
import type { Transaction } from 'kysely'
import { type Alert, alertOutbox } from '../claims/alerts/alert-outbox.ts'
import { listWebhooks, type Webhook } from '../claims/alerts/webhooks.ts'
import { isUnhealthy } from '../listings/endpoint-health.ts'
import type { Tables } from '../state/tables.ts'
import type { ReportRows } from './report-rows.ts'

const WEEK_MS = 7 * 86_400_000

export type PublishedRows = {
  readonly edition: string
  readonly rows: readonly ReportRows[]
  readonly now: Date
}

/** Queues alerts in the transaction of their rolling reports: sent if and only if these are published. */
export async function queueNews(
  transaction: Transaction<Tables>,
  { edition, rows, now }: PublishedRows,
): Promise<void> {
  const webhooks = await listWebhooks({ db: transaction })
  const byAddress = new Map(rows.map(({ text }) => [text.address, text.body]))
  for (const webhook of webhooks) {
    const body = byAddress.get(webhook.address)
    if (body === undefined) continue
    const stored = await transaction
      .selectFrom('report_texts')
      .select('body')
      .where('edition', '=', edition)
      .where('address', '=', webhook.address)
      .executeTakeFirst()
    // Both were written by a publication.
    const before = stored ? (JSON.parse(stored.body) as MerchantReport) : null
    const alerts = findNews(before, JSON.parse(body) as MerchantReport)
    await queueWanted(transaction, { webhook, alerts, at: now })
  }
}

/**
 * Queues alerts about changes since the week before, in the transaction that publishes a week; none for a
 * week that ended more than a week ago, as after reading the chain again.
 */
export async function queueWeekChanges(
  transaction: Transaction<Tables>,
  {
    edition,
    rows,
    now,
    windowEnd,
    baseUrl,
  }: PublishedRows & { readonly windowEnd: Date; readonly baseUrl: string },
): Promise<void> {
  if (now.getTime() - windowEnd.getTime() > WEEK_MS) return
  const previous = new Date(Date.parse(edition) - WEEK_MS).toISOString().slice(0, 10)
  const byAddress = new Map(rows.map(({ figures }) => [figures.address, figures]))
  for (const webhook of await listWebhooks({ db: transaction })) {
    const { address } = webhook
    const stored = await transaction
      .selectFrom('reports')
      .select(['rank', 'real_amount'])
      .where('edition', '=', previous)
      .where('address', '=', address)
      .orderBy('revision', 'desc')
      .limit(1)
      .executeTakeFirst()
    if (!stored) continue
    const own = byAddress.get(address)
    const after = own ? { rank: own.rank ?? null, real_amount: own.real_amount } : null
    const report = reportUrl(baseUrl, address, { week: edition, revision: 1 })
    const alerts = findWeekChanges({ address, report, week: edition, before: stored, after }, webhook)
    await queueWanted(transaction, { webhook, alerts, at: now })
  }
}

type Queueing = { readonly webhook: Webhook; readonly alerts: readonly Alert[]; readonly at: Date }

async function queueWanted(
  transaction: Transaction<Tables>,
  { webhook, alerts, at }: Queueing,
): Promise<void> {
  const wanted: readonly string[] = webhook.events
  const events = alerts.filter(({ event }) => wanted.includes(event))
  await alertOutbox.queue(transaction, { webhook: webhook.id, events, at })
}

/** A longer list is cut; the report has all endpoints. */
const MAX_ENDPOINTS = 50

/** What is new in a rolling report: flags, each once a day, and endpoints that can no longer be paid. */
function findNews(before: MerchantReport | null, after: MerchantReport): readonly Alert[] {
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

type WeekEntry = { readonly rank: number | null; readonly real_amount: number }

type WeekChange = {
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
function findWeekChanges(
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
  const amountBefore = before.real_amount
  const amount = after?.real_amount ?? 0
  if (amountBefore > 0 && 100 * (amountBefore - amount) >= dropPercent * amountBefore) {
    const toUsd = (microUsdc: number) => toUsdNumber(BigInt(microUsdc))
    const usd = { real_usd_before: toUsd(amountBefore), real_usd: toUsd(amount) }
    alerts.push({ event: 'revenue.dropped', key: week, data: { ...common, ...usd } })
  }
  return alerts
}

function listUnhealthy(report: MerchantReport | null) {
  return (report?.bazaar_listings ?? []).flatMap(({ resource, health }) =>
    health && isUnhealthy(health.state) ? [{ resource, ...health }] : [],
  )
}
