import type { Address } from '../../chain/hex.ts'
import { isUniqueConflict } from '../../state/conflict.ts'
import type { State } from '../../state/state.ts'
import type { MerchantReport } from '../build/merchant-report.ts'
import { isOperatorKey, type Operator, type Wallets } from '../claims/operators.ts'
import type { PackedEvidence } from '../evidence/pack-evidence.ts'
import type { StoredBasis } from './basis.ts'
import { type MerchantSide, parseStoredSide, readSide } from './merchant-inputs.ts'
import { queueWeekChanges } from './queue-alerts.ts'
import type { StoredRows } from './report-row.ts'
import {
  type ComposedRun,
  composeRun,
  insertRows,
  type Publication,
  storeBasis,
  toEdition,
} from './store-run.ts'
import { loadBasis, loadEdition, type StoredEdition, selectReports } from './stored-reports.ts'

const FIRST_REVISION = 1
/** Reports of an earlier revision that are in memory at a time. */
const REPORTS_A_READ = 500

/** The publication of a week. Its payments are stored in a file before the week is visible. */
export type WeekPublication = Publication & {
  /** Writes the payments behind the run; called at most once, and only when the run is published. */
  readonly packEvidence: () => Promise<PackedEvidence>
}

/** Publishes all reports of a week for the first time. @returns whether it was not published yet. */
export async function publishWeek(publication: WeekPublication): Promise<boolean> {
  const { state, run } = publication
  if (await loadEdition(state, run.edition)) return false
  const evidence = await publication.packEvidence()
  const key = { revision: FIRST_REVISION, evidence }
  const composed = await composeRun(publication, key)
  return insertRevision(publication, { ...key, composed, reason: null })
}

export type Correction = {
  /** The newest revision of the week after the correction. */
  readonly revision: number
  /** Merchants whose figures differ from the previous revision; 0 when nothing was published. */
  readonly changed: number
}

/**
 * Publishes a week with changed figures as a new revision. Other reports keep their bytes, and what
 * merchants decide (claim, name, listings) stays as first published. @param reason what was wrong, for
 * readers.
 */
export async function correctWeek(
  publication: WeekPublication,
  { before, reason }: { readonly before: StoredEdition; readonly reason: string },
): Promise<Correction> {
  const sides = await readSides(publication.state, before)
  const correcting = { ...publication, sides: new Map([...publication.sides, ...sides]) }
  const revision = before.revision + 1
  const draft = await composeRun(correcting, { revision, evidence: null })
  const earlier = await compareFigures(publication.state, before, draft.rows)
  if (earlier.changed === 0) return { revision: before.revision, changed: 0 }
  const evidence = await publication.packEvidence()
  const composed = await composeRun(correcting, { revision, evidence })
  const rows = composed.rows.map((row) => keepBytes(row, earlier.same.get(row.figures.address)))
  const isPublished = await insertRevision(correcting, {
    revision,
    evidence,
    reason,
    composed: { ...composed, rows },
  })
  if (!isPublished) throw new Error(`another publisher corrected the week ${before.edition} at the same time`)
  return { revision, changed: earlier.changed }
}

type Revision = {
  readonly revision: number
  readonly evidence: PackedEvidence
  readonly composed: ComposedRun
  readonly reason: string | null
}

/** @returns false when another publisher has stored this revision. */
async function insertRevision(publication: Publication, { composed, ...key }: Revision): Promise<boolean> {
  const { basis, rows } = composed
  try {
    await publication.state.db.transaction().execute(async (transaction) => {
      const edition = toEdition(publication, { ...key, basis: basis.digest })
      await transaction.insertInto('report_editions').values(edition).execute()
      await insertRows(transaction, rows)
      await storeBasis(transaction, basis, publication.now)
      if (key.revision === FIRST_REVISION) {
        const { run, now, baseUrl } = publication
        const windowEnd = new Date(run.window.end * 1000)
        await queueWeekChanges(transaction, { edition: run.edition, rows, now, windowEnd, baseUrl })
      }
    })
    return true
  } catch (error) {
    if (isUniqueConflict(error)) return false
    throw error
  }
}

/** What merchants had decided when a revision was published. */
export async function readSides(
  state: State,
  { edition, revision, published_at }: StoredEdition,
): Promise<ReadonlyMap<Address, MerchantSide>> {
  const rows = await selectReports(state)
    .select(['reports.address', 'reports.name', 'reports.is_name_confirmed', 'report_texts.inputs'])
    .where('reports.edition', '=', edition)
    .where('reports.revision', '=', revision)
    .where('report_texts.inputs', 'is not', null)
    .execute()
  const wallets = rows.filter(({ address }) => !isOperatorKey(address))
  return new Map(
    wallets.map(({ inputs, name, is_name_confirmed, ...row }) => {
      const address = row.address as Address
      const confirmedName = is_name_confirmed === 1 ? name : null
      return [address, readSide(inputs ?? '', { address, confirmedName, at: new Date(published_at) })]
    }),
  )
}

/** The payees of the listings in use when an edition was published; none if an older version did. */
export async function readPublishedPayees(
  state: State,
  { basis }: StoredEdition,
): Promise<readonly Address[]> {
  const body = await loadBasis(state, basis)
  // storeBasis writes this very type.
  return body === undefined ? [] : (JSON.parse(body) as StoredBasis).listedPayees
}

/** The operators of a revision, with the wallets that they had then. */
export async function readPublishedOperators(
  state: State,
  { edition, revision }: StoredEdition,
): Promise<readonly Operator[]> {
  const rows = await selectReports(state)
    .select(['reports.name', 'reports.address', 'report_texts.inputs'])
    .where('reports.edition', '=', edition)
    .where('reports.revision', '=', revision)
    .where('report_texts.inputs', 'is not', null)
    .execute()
  return rows
    .filter(({ address }) => isOperatorKey(address))
    .map(({ name, inputs }) => ({
      host: name,
      // Written by writeSide from an operator.
      wallets: parseStoredSide(inputs ?? '').wallets as unknown as Wallets,
    }))
}

type Kept = {
  readonly body: string
  readonly etag: string
  readonly digest: string
  readonly changed_at: number
}

/** Which reports of a draft are unchanged, and how many merchants have changed. */
async function compareFigures(state: State, before: StoredEdition, draft: readonly StoredRows[]) {
  const drafts = new Map<string, StoredRows>(draft.map((row) => [row.figures.address, row]))
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
  { figures, text }: StoredRows,
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

function keepBytes(row: StoredRows, kept: Kept | undefined): StoredRows {
  if (!kept) return row
  const { body, ...served } = kept
  return { figures: { ...row.figures, ...served }, text: { ...row.text, body } }
}
