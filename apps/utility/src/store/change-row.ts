import { ProblemError } from '@tollbook/http/problem'
import type { CollectionRowTable, CollectionTable } from '../state/wallet-tables.ts'
import { changeResource } from '../wallet/change-resource.ts'
import type { HeldWallet, WalletCall } from '../wallet/change-wallet.ts'
import { countRows, sumBytes, updateCollection } from './change-store.ts'
import { MAX_ROW_BYTES } from './contract.ts'
import { requireCollection } from './find-collection.ts'
import { type Fields, parseFields, type Row } from './row.ts'

export type RowAddress = {
  readonly name: string
  readonly id: number
  /** The version that the row must have, or null for any. */
  readonly expectedVersion: number | null
}

export type ChangedRow = {
  readonly row: Row
  readonly bytesUsed: number
  readonly expiresAtMs: number
}

/**
 * Replaces the fields of a row by a function of its current ones.
 * @throws ProblemError `not_found`, `version_conflict`, `quota_exceeded`, or `too_large` for the new fields.
 */
export function changeRow(
  call: WalletCall,
  address: RowAddress,
  change: (fields: Fields) => Fields,
): Promise<ChangedRow> {
  return changeResource(call, lockOf(address), async (held) => {
    const { collection, row } = await requireRow(held, address)
    const body = JSON.stringify(change(parseFields(row.body)))
    const bytes = Buffer.byteLength(body)
    if (bytes > MAX_ROW_BYTES) throw new ProblemError(tooLarge(bytes))
    const added = bytes - row.bytes
    const bytesUsed = sumBytes(held, added)
    const changed = { body, bytes, version: row.version + 1, updated_at: held.nowMs }
    const update = held.transaction
      .updateTable('collection_row')
      .set(changed)
      .where('collection', '=', collection.id)
      .where('id', '=', row.id)
    const total = { rows: 0, bytes: added, lastId: 0 }
    const { statement, expiresAtMs } = updateCollection(held, collection, total)
    return {
      result: { row: { ...row, ...changed }, bytesUsed, expiresAtMs },
      change: { ...total, isNew: false, statements: [update, statement] },
    }
  })
}

/** Deletes a row. @throws ProblemError `not_found` or `version_conflict`. */
export function deleteRow(call: WalletCall, address: RowAddress) {
  return changeResource(call, lockOf(address), async (held) => {
    const { collection, row } = await requireRow(held, address)
    const deletion = held.transaction
      .deleteFrom('collection_row')
      .where('collection', '=', collection.id)
      .where('id', '=', row.id)
    const total = { rows: -1, bytes: -row.bytes, lastId: 0 }
    const { statement, expiresAtMs } = updateCollection(held, collection, total)
    return {
      result: {
        totalRows: countRows(held, collection) - 1,
        bytesUsed: sumBytes(held, -row.bytes),
        expiresAtMs,
      },
      change: { ...total, isNew: false, statements: [deletion, statement] },
    }
  })
}

/** Different rows of one collection change concurrently. */
function lockOf({ name, id }: RowAddress) {
  return { kind: 'collection', name, part: `${id}`, isExclusive: false } as const
}

async function requireRow(
  held: HeldWallet,
  { name, id, expectedVersion }: RowAddress,
): Promise<{ readonly collection: CollectionTable; readonly row: CollectionRowTable }> {
  const collection = await requireCollection(held.transaction, { ...held, name })
  const row = await held.transaction
    .selectFrom('collection_row')
    .selectAll()
    .where('collection', '=', collection.id)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) throw new ProblemError(noSuchRow(name, id))
  if (expectedVersion !== null && expectedVersion !== row.version)
    throw new ProblemError({
      code: 'version_conflict',
      detail: `Row ${id} has version ${row.version}.`,
      members: { version: row.version },
    })
  return { collection, row }
}

export function noSuchRow(name: string, id: number) {
  return { code: 'not_found', detail: `The collection ${name} has no row ${id}.` } as const
}

function tooLarge(bytes: number) {
  const detail = `The row would have ${bytes} bytes as JSON (limit ${MAX_ROW_BYTES}).`
  return { code: 'too_large', detail } as const
}
