import type { MerchantReport } from '@tollbook/verify/build/merchant-report'
import type { PackedEvidence } from '../evidence/pack-evidence.ts'
import type { Figures } from '../run/figures.ts'
import type { State } from '../state/state.ts'
import { type Composing, composeEdition } from './compose-edition.ts'
import type { ReportRows } from './report-rows.ts'
import { storeWeek } from './store-week.ts'
import { type StoredEdition, selectReports } from './stored-reports.ts'

/** Reports of an earlier revision that are in memory at a time. */
const REPORTS_A_READ = 500

export type Correction = {
  /** The newest revision of the week after the correction. */
  readonly revision: number
  /** Merchants whose figures differ from the previous revision; 0 when nothing was published. */
  readonly changed: number
}

type Correcting = Omit<Composing, 'revision' | 'evidence'> & {
  readonly before: StoredEdition
  /** What was wrong, for readers. */
  readonly reason: string
  /** Writes the payments behind the figures; called only when something is published. */
  readonly packEvidence: () => Promise<PackedEvidence>
}

/**
 * Publishes a week with changed figures as a new revision. Other reports keep their bytes.
 * @param figures with what merchants decide (claim, name, listings) as first published.
 */
export async function correctWeek(
  state: State,
  figures: Figures,
  { before, packEvidence, ...composing }: Correcting,
): Promise<Correction> {
  const revision = before.revision + 1
  const draft = await composeEdition(figures, { ...composing, revision })
  const earlier = await compareFigures(state, before, draft.reports)
  if (earlier.changed === 0) return { revision: before.revision, changed: 0 }
  const evidence = await packEvidence()
  const edition = await composeEdition(figures, { ...composing, revision, evidence })
  const reports = edition.reports.map((rows) => keepBytes(rows, earlier.same.get(rows.figures.address)))
  const isPublished = await storeWeek(state, { ...edition, reports }, composing.baseUrl)
  if (!isPublished) throw new Error(`another publisher corrected the week ${before.edition} at the same time`)
  return { revision, changed: earlier.changed }
}

type Kept = {
  readonly body: string
  readonly etag: string
  readonly digest: string
  readonly changed_at: number
}

/** Which reports of a draft are unchanged, and how many merchants have changed. */
async function compareFigures(state: State, before: StoredEdition, draft: readonly ReportRows[]) {
  const drafts = new Map<string, ReportRows>(draft.map((row) => [row.figures.address, row]))
  const same = new Map<string, Kept>()
  let gone = 0
  let after = ''
  for (;;) {
    const rows = await selectReports(state)
      .select(['reports.address', 'reports.amount', 'reports.real_amount'])
      .select(['reports.etag', 'reports.digest', 'reports.changed_at', 'report_texts.body'])
      .where('reports.edition', '=', before.edition)
      .where('reports.revision', '=', before.revision)
      .where('reports.address', '>', after)
      .orderBy('reports.address')
      .limit(REPORTS_A_READ)
      .execute()
    for (const { address, amount, real_amount, ...kept } of rows) {
      const row = drafts.get(address)
      if (!row) gone += 1
      else if (isSame(row, { amount, real_amount, body: kept.body })) same.set(address, kept)
    }
    const last = rows.at(-1)
    if (!last || rows.length < REPORTS_A_READ) break
    after = last.address
  }
  return { same, changed: draft.length - same.size + gone }
}

/** Cents may be equal where the exact sums differ. */
function isSame(
  { figures, text }: ReportRows,
  before: { readonly amount: number; readonly real_amount: number; readonly body: string },
): boolean {
  return (
    figures.amount === before.amount &&
    figures.real_amount === before.real_amount &&
    figuresOf(text.body, before.body) === figuresOf(before.body, before.body)
  )
}

/** All parts of a report that its payments determine. */
function figuresOf(body: string, before: string): string {
  const report = JSON.parse(body) as MerchantReport
  // Added within version 3 of the method: a report without it stays as it is.
  const { inferred_revenue: published, returning_buyers: returning } = JSON.parse(before) as MerchantReport
  return JSON.stringify([
    report.rank_by_real_revenue,
    report.window,
    report.tx,
    report.usd,
    report.real_tx,
    report.real_usd,
    report.buyers,
    report.real_buyers,
    report.top_buyer_share,
    report.effective_buyers,
    report.fees_usd,
    report.flags,
    report.exchange_flow_note,
    report.paid,
    report.daily,
    published && report.inferred_revenue,
    // The week before may no longer be stored.
    returning === undefined ? undefined : (report.returning_buyers ?? returning),
  ])
}

function keepBytes(row: ReportRows, kept: Kept | undefined): ReportRows {
  if (!kept) return row
  const { body, ...served } = kept
  return { figures: { ...row.figures, ...served }, text: { ...row.text, body } }
}
