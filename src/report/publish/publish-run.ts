import { setImmediate } from 'node:timers/promises'
import type { Transaction } from 'kysely'
import { isUniqueConflict } from '../../state/conflict.ts'
import type { State } from '../../state/state.ts'
import type { Tables } from '../../state/tables.ts'
import { freezeReport, toUtcText } from '../build/compose-report.ts'
import type { ReportRun } from '../build/figures.ts'
import type { MerchantReport } from '../build/merchant-report.ts'
import { listingsByPayTo } from '../listings/stored-listings.ts'
import { type StoredRows, toServed, toStoredRows } from './report-row.ts'

/** The edition that is overwritten with each run; every other is a week that never changes. */
export const ROLLING = 'rolling'
/** The first publication of a week. */
const FIRST_REVISION = 1
/** Reports composed before other work may go on: about 10 ms. */
const REPORTS_A_TURN = 200
/** 20 columns a row stay far below the 32,766 parameters of an SQLite statement. */
const ROWS_PER_STATEMENT = 500

export type Publication = {
  readonly state: State
  readonly run: ReportRun
  /** Public address of the report service, without a trailing slash. */
  readonly baseUrl: string
  readonly now: Date
}

export type Published = {
  /** Merchants that were paid in the window. */
  readonly merchants: number
  /** Reports whose bytes were written: those that say anything else than before. */
  readonly written: number
  /** Reports that stand from an earlier window. */
  readonly frozen: number
}

/**
 * Publishes the reports of every merchant of a run, all at once: a reader sees the edition before or after it.
 * A report that says the same as before keeps its bytes, `generated_at` included. A week that has been
 * published is left as it is.
 */
export async function publishRun(publication: Publication): Promise<Published> {
  const { state, run } = publication
  if (run.edition === ROLLING) return publishRolling(publication)
  const rows = await composeRows(publication, FIRST_REVISION)
  const merchants = rows.length
  try {
    await state.db.transaction().execute(async (transaction) => {
      await transaction.insertInto('report_editions').values(toEdition(publication, FIRST_REVISION)).execute()
      await insertRows(transaction, rows)
    })
  } catch (error) {
    if (!isUniqueConflict(error)) throw error
    return { merchants, written: 0, frozen: 0 }
  }
  return { merchants, written: merchants, frozen: 0 }
}

async function publishRolling(publication: Publication): Promise<Published> {
  const { state, now } = publication
  const stored = await state.db
    .selectFrom('reports')
    .select(['address', 'digest', 'is_frozen'])
    .where('edition', '=', ROLLING)
    .execute()
  const digests = new Map(stored.map((row) => [row.address, row.digest]))
  const composed = await composeRows(publication, 0)
  const changed = composed.filter(({ figures }) => digests.get(figures.address) !== figures.digest)
  const paid = new Set<string>(composed.map(({ figures }) => figures.address))
  const unpaid = stored.filter((row) => !paid.has(row.address))
  const edition = toEdition(publication, 0)
  await state.db.transaction().execute(async (transaction) => {
    await transaction
      .insertInto('report_editions')
      .values(edition)
      .onConflict((conflict) => conflict.columns(['edition', 'revision']).doUpdateSet(edition))
      .execute()
    await removeRows(transaction, changed)
    await insertRows(transaction, changed)
    for (const { address } of unpaid.filter((row) => row.is_frozen === 0)) {
      await freeze(transaction, address, now)
    }
  })
  return { merchants: composed.length, written: changed.length, frozen: unpaid.length }
}

async function composeRows(publication: Publication, revision: number): Promise<readonly StoredRows[]> {
  const { state, run, baseUrl, now } = publication
  const listings = await listingsByPayTo(state)
  const rows: StoredRows[] = []
  for (const figures of run.figures) {
    if (rows.length % REPORTS_A_TURN === REPORTS_A_TURN - 1) await setImmediate()
    const own = listings.get(figures.address) ?? []
    rows.push(toStoredRows({ run, revision, figures, listings: own, baseUrl, now }))
  }
  return rows
}

function toEdition({ run, now }: Publication, revision: number) {
  const { window, figures } = run
  const sum = (amounts: readonly bigint[]) => Number(amounts.reduce((total, amount) => total + amount, 0n))
  const count = (counts: readonly number[]) => counts.reduce((total, each) => total + each, 0)
  return {
    edition: run.edition,
    revision,
    method: run.methodVersion,
    start_block: window.startBlock,
    end_block: window.endBlock,
    window_start: window.start * 1000,
    window_end: window.end * 1000,
    is_complete: window.isComplete ? 1 : 0,
    published_at: now.getTime(),
    merchants: figures.length,
    tx: count(figures.map(({ tx }) => tx)),
    amount: sum(figures.map(({ amount }) => amount)),
    real_tx: count(figures.map(({ realTx }) => realTx)),
    real_amount: sum(figures.map(({ realAmount }) => realAmount)),
  }
}

async function removeRows(transaction: Transaction<Tables>, rows: readonly StoredRows[]): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
    const addresses = rows.slice(at, at + ROWS_PER_STATEMENT).map(({ figures }) => figures.address)
    for (const table of ['reports', 'report_texts'] as const) {
      await transaction
        .deleteFrom(table)
        .where('edition', '=', ROLLING)
        .where('address', 'in', addresses)
        .execute()
    }
  }
}

async function insertRows(transaction: Transaction<Tables>, rows: readonly StoredRows[]): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
    const some = rows.slice(at, at + ROWS_PER_STATEMENT)
    const figures = some.map((row) => row.figures)
    const texts = some.map((row) => row.text)
    await transaction.insertInto('reports').values(figures).execute()
    await transaction.insertInto('report_texts').values(texts).execute()
  }
}

/** No payment came in the newest window: the last report stands, its `last_seen_week` stays behind. */
async function freeze(transaction: Transaction<Tables>, address: string, now: Date): Promise<void> {
  const row = await transaction
    .selectFrom('report_texts')
    .select('body')
    .where('edition', '=', ROLLING)
    .where('address', '=', address)
    .executeTakeFirstOrThrow()
  // Written by this very module.
  const last = JSON.parse(row.body) as MerchantReport
  const frozen = { ...freezeReport(last), generated_at: toUtcText(now.getTime() / 1000) }
  const { body, ...served } = toServed(frozen, now)
  await transaction
    .updateTable('report_texts')
    .set({ body })
    .where('edition', '=', ROLLING)
    .where('address', '=', address)
    .execute()
  await transaction
    .updateTable('reports')
    .set(served)
    .where('edition', '=', ROLLING)
    .where('address', '=', address)
    .execute()
}
