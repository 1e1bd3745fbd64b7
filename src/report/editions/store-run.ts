import { setImmediate } from 'node:timers/promises'
import type { Transaction } from 'kysely'
import type { Address } from '../../chain/hex.ts'
import type { State } from '../../state/state.ts'
import type { Tables } from '../../state/tables.ts'
import type { MerchantFigures, ReportRun } from '../build/figures.ts'
import { toOperatorKey } from '../claims/operators.ts'
import type { PackedEvidence } from '../evidence/pack-evidence.ts'
import { type Followed, NOT_FOLLOWED } from '../screen/flow/judge-flow.ts'
import { type StoredBasis, toSha256 } from './basis.ts'
import { type MerchantSide, type OperatorInputs, UNKNOWN_MERCHANT } from './merchant-inputs.ts'
import { type StoredRows, toStoredRows } from './report-row.ts'

/** Reports composed before the event loop may do other work: about 10 ms. */
const REPORTS_A_TURN = 200
/** 29 columns a row stay far below the limit of 32,766 parameters in an SQLite statement. */
const ROWS_PER_STATEMENT = 500
/** How long an unused basis is kept, since a publication on another machine may be in progress. */
const UNUSED_BASIS_MS = 86_400_000

export type Publication = {
  readonly state: State
  readonly run: ReportRun
  readonly basis: StoredBasis
  /** Merchants with data from outside the chain. */
  readonly sides: ReadonlyMap<Address, MerchantSide>
  /** Wallets through which money was followed; absent: none for any merchant. */
  readonly followed?: ReadonlyMap<Address, Followed>
  /** Merchants with several wallets; absent: none. */
  readonly operators?: OperatorRun
  /** Public address of the report service, without a trailing slash. */
  readonly baseUrl: string
  readonly now: Date
}

/** The reports of operators, and the ranking in which each counts once. */
export type OperatorRun = {
  readonly reports: readonly {
    /** Their address is the operator's key. */
    readonly figures: MerchantFigures
    readonly side: MerchantSide
    readonly operator: OperatorInputs
    readonly followed: Followed
  }[]
  /** Whether everything was read that the screens need for operators, too. */
  readonly isComplete: boolean
  /** By address: operators, and wallets without an operator. */
  readonly ranks: ReadonlyMap<string, number | null>
}

export type ComposedRun = {
  readonly basis: { digest: string; body: string }
  readonly rows: readonly StoredRows[]
}

export type RunKey = {
  /** 0 for the rolling window; published weeks start at 1. */
  readonly revision: number
  readonly evidence: PackedEvidence | null
}

export async function composeRun(
  { run, basis, sides, followed, operators, baseUrl, now }: Publication,
  { revision, evidence }: RunKey,
): Promise<ComposedRun> {
  const body = JSON.stringify(basis)
  const digest = toSha256(body)
  const listed = new Set(basis.listedPayees)
  const rows: StoredRows[] = []
  const operatorOf = new Map<string, string>()
  for (const { operator } of operators?.reports ?? [])
    for (const wallet of operator.wallets) operatorOf.set(wallet, toOperatorKey(operator.host))
  const ranks = operators?.ranks ?? new Map()
  const common = { run, revision, baseUrl, now, basis: digest }
  for (const figures of run.figures) {
    if (rows.length % REPORTS_A_TURN === REPORTS_A_TURN - 1) await setImmediate()
    const { address } = figures
    const place = evidence?.places.get(address)
    rows.push(
      toStoredRows({
        ...common,
        figures,
        operatorOf: operatorOf.get(address) ?? null,
        operatorRank: ranks.get(address) ?? null,
        side: sides.get(address) ?? UNKNOWN_MERCHANT,
        isListedPayee: listed.has(address),
        followed: followed?.get(address) ?? NOT_FOLLOWED,
        evidence: evidence && place ? { ...place, file: evidence.file } : null,
      }),
    )
  }
  for (const { figures, ...own } of operators?.reports ?? []) {
    const isListedPayee = own.operator.listedWallets.length > 0
    const operatorRank = figures.rank
    const window = { ...run.window, isComplete: operators?.isComplete === true }
    const report = { ...common, ...own, run: { ...run, window }, figures, isListedPayee, operatorRank }
    rows.push(toStoredRows({ ...report, operatorOf: null, evidence: null }))
  }
  return { basis: { digest, body }, rows }
}

/** The row of an edition. @param reason why a week was corrected; null otherwise. */
export function toEdition(
  { run, now }: Publication,
  { revision, evidence, basis, reason }: RunKey & { readonly basis: string; readonly reason: string | null },
) {
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
    reason,
    basis,
    evidence_file: evidence?.file ?? null,
    evidence_sha256: evidence?.sha256 ?? null,
    evidence_bytes: evidence?.bytes ?? null,
    field: run.field ? JSON.stringify(run.field) : null,
  }
}

/** Adds the inputs of a run unless they are stored, and deletes those that no report refers to. */
export async function storeBasis(
  transaction: Transaction<Tables>,
  basis: ComposedRun['basis'],
  now: Date,
): Promise<void> {
  const used_at = now.getTime()
  await transaction
    .insertInto('report_bases')
    .values({ ...basis, used_at })
    .onConflict((conflict) => conflict.column('digest').doUpdateSet({ used_at }))
    .execute()
  await transaction
    .deleteFrom('report_bases')
    .where('used_at', '<', used_at - UNUSED_BASIS_MS)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(selectFrom('report_editions').select('edition').whereRef('basis', '=', 'report_bases.digest')),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('reports')
            .select('address')
            .where('revision', '=', 0)
            .whereRef('basis', '=', 'report_bases.digest'),
        ),
      ),
    )
    .execute()
}

export async function insertRows(
  transaction: Transaction<Tables>,
  rows: readonly StoredRows[],
): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
    const some = rows.slice(at, at + ROWS_PER_STATEMENT)
    const figures = some.map((row) => row.figures)
    const texts = some.map((row) => row.text)
    await transaction.insertInto('reports').values(figures).execute()
    await transaction.insertInto('report_texts').values(texts).execute()
  }
}

/** Removes the reports of these merchants from an edition before it is rewritten. */
export async function removeRows(
  transaction: Transaction<Tables>,
  edition: string,
  merchants: readonly string[],
): Promise<void> {
  for (let at = 0; at < merchants.length; at += ROWS_PER_STATEMENT) {
    const some = merchants.slice(at, at + ROWS_PER_STATEMENT)
    for (const table of ['reports', 'report_texts'] as const) {
      await transaction
        .deleteFrom(table)
        .where('edition', '=', edition)
        .where('address', 'in', some)
        .execute()
    }
  }
}
