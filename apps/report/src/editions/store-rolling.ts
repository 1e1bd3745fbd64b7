import type { Address } from '@tollbook/chain/hex'
import { freezeReport, toUtcText } from '@tollbook/verify/build/compose-report'
import type { MerchantReport } from '@tollbook/verify/build/merchant-report'
import { ROLLING } from '@tollbook/verify/published/edition-name'
import { isGroupKey } from '@tollbook/verify/published/group-key'
import type { Transaction } from 'kysely'
import {
  type ClaimsAndListings,
  isNameConfirmed,
  NO_CLAIMS_OR_LISTINGS,
} from '../claims/claims-and-listings.ts'
import { readSigners } from '../claims/stored-claims.ts'
import type { State } from '../state/state.ts'
import type { Tables } from '../state/tables.ts'
import type { Edition } from './compose-edition.ts'
import { queueNews } from './queue-alerts.ts'
import { toServed } from './report-rows.ts'
import { insertRows, removeRows, storeBasis } from './store-edition.ts'
import { withClaim } from './stored-inputs.ts'

/** Columns that a new publication may change. */
const COMPARED = ['digest', 'is_name_confirmed', 'operator', 'operator_rank'] as const

export type Published = {
  readonly merchants: number
  /** Reports whose bytes were written because their content changed. */
  readonly written: number
  /** Reports carried over from an earlier window. */
  readonly frozen: number
}

/**
 * Stores every report of a rolling window in one transaction: readers see the edition before or after it.
 * A report without changes keeps its bytes, including `generated_at`.
 */
export async function storeRolling(
  state: State,
  { row, basis, reports }: Edition,
  claimsAndListings: ReadonlyMap<Address, ClaimsAndListings>,
): Promise<Published> {
  const { edition: name } = row
  const now = new Date(row.published_at)
  const stored = await state.db
    .selectFrom('reports')
    .select(['address', 'digest', 'is_frozen', 'is_name_confirmed', 'operator', 'operator_rank'])
    .where('edition', '=', name)
    .execute()
  const before = new Map(stored.map((row) => [row.address, row]))
  const changed = reports.filter(({ figures }) => {
    const last = before.get(figures.address)
    return last === undefined || COMPARED.some((column) => last[column] !== figures[column])
  })
  const paid = new Set<string>(reports.map(({ figures }) => figures.address))
  const missing = stored.filter((row) => !paid.has(row.address))
  // A group without payments, or whose wallets are no longer proven to be one, has no report.
  const gone = missing.filter(({ address }) => isGroupKey(address)).map(({ address }) => address)
  const unpaid = missing.filter(({ address }) => !isGroupKey(address))
  const signers = await readSigners(state)
  // A frozen report changes only in its claim, which its merchant can still make or withdraw.
  const toFreeze = unpaid.filter((row) => row.is_frozen === 0 || signers.has(row.address))
  await state.db.transaction().execute(async (transaction) => {
    await transaction
      .insertInto('report_editions')
      .values(row)
      .onConflict((conflict) => conflict.columns(['edition', 'revision']).doUpdateSet(row))
      .execute()
    const merchants = changed.map(({ figures }) => figures.address)
    if (name === ROLLING) await queueNews(transaction, { edition: name, rows: changed, now })
    await removeRows(transaction, name, [...merchants, ...gone])
    await insertRows(transaction, changed)
    for (const { address } of toFreeze) {
      await freeze(
        transaction,
        { edition: name, address },
        { own: claimsAndListings.get(address as Address) ?? NO_CLAIMS_OR_LISTINGS, now },
      )
    }
    await storeBasis(transaction, basis, now)
  })
  return { merchants: row.merchants, written: changed.length, frozen: unpaid.length }
}

/** Without payments in the newest window the last report remains, with its `last_seen_week`. */
async function freeze(
  transaction: Transaction<Tables>,
  { edition, address }: { readonly edition: string; readonly address: string },
  { own, now }: { readonly own: ClaimsAndListings; readonly now: Date },
): Promise<void> {
  const { isClaimed } = own
  const row = await transaction
    .selectFrom('report_texts')
    .select(['body', 'inputs'])
    .where('edition', '=', edition)
    .where('address', '=', address)
    .executeTakeFirstOrThrow()
  // Written by this module.
  const last = JSON.parse(row.body) as MerchantReport
  if (last.frozen && last.claimed === isClaimed) return
  const frozen = { ...freezeReport(last), claimed: isClaimed, generated_at: toUtcText(now.getTime() / 1000) }
  const { body, ...served } = toServed(frozen, now)
  await transaction
    .updateTable('report_texts')
    .set({ body, inputs: row.inputs === null ? null : withClaim(row.inputs, isClaimed) })
    .where('edition', '=', edition)
    .where('address', '=', address)
    .execute()
  await transaction
    .updateTable('reports')
    .set({
      ...served,
      operator_rank: null,
      // Listings may have disappeared since its last payment, so only a claim or its withdrawal changes the name.
      ...(last.claimed !== isClaimed && { is_name_confirmed: isNameConfirmed(own, last) ? 1 : 0 }),
    })
    .where('edition', '=', edition)
    .where('address', '=', address)
    .execute()
}
