import type { Transaction } from 'kysely'
import type { Tables } from '../../../state/tables.ts'
import type { MerchantReport } from '../../build/merchant-report.ts'
import { queueAlerts } from '../../claims/alerts/outbox.ts'
import { listWebhooks } from '../../claims/alerts/webhooks.ts'
import type { StoredRows } from '../editions/report-row.ts'
import { reportUrl } from '../pages/links.ts'
import { findNews, findWeekChanges, type WeekEntry } from './find-alerts.ts'

const WEEK_MS = 7 * 86_400_000

export type PublishedRows = {
  readonly edition: string
  readonly rows: readonly StoredRows[]
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
    const after = own ? toEntry({ rank: own.rank ?? null, real_amount: own.real_amount }) : null
    const report = reportUrl(baseUrl, address, { week: edition, revision: 1 })
    const alerts = findWeekChanges(
      { address, report, week: edition, before: toEntry(stored), after },
      webhook,
    )
    await queueWanted(transaction, { webhook, alerts, at: now })
  }
}

type Queueing = Parameters<typeof queueAlerts>[1] & {
  readonly webhook: { readonly events: readonly string[] }
}

async function queueWanted(
  transaction: Transaction<Tables>,
  { webhook, alerts, at }: Queueing,
): Promise<void> {
  const wanted = alerts.filter(({ event }) => webhook.events.includes(event))
  await queueAlerts(transaction, { webhook, alerts: wanted, at })
}

function toEntry({
  rank,
  real_amount,
}: {
  readonly rank: number | null
  readonly real_amount: number
}): WeekEntry {
  return { rank, realAmount: real_amount }
}
