import type { CollectionTable } from '../state/wallet-tables.ts'
import { addBytes } from '../wallet/change-resource.ts'
import { type HeldWallet, toResource } from '../wallet/change-wallet.ts'
import { QUOTA_BYTES, TTL_AFTER_WRITE_MS } from './contract.ts'

/**
 * The wallet's bytes after adding or freeing this many.
 * @throws ProblemError `quota_exceeded` if an addition would exceed the quota.
 */
export function sumBytes({ bytes }: HeldWallet, addedBytes: number): number {
  return addBytes(bytes.collection, addedBytes, QUOTA_BYTES)
}

/** Rows of a collection including those of staged changes. */
export function countRows({ pending }: HeldWallet, { name, row_count }: CollectionTable): number {
  const resource = toResource('collection', name)
  return pending.reduce((sum, one) => sum + (one.resource === resource ? one.rows : 0), row_count)
}

type CollectionChange = { readonly rows: number; readonly bytes: number; readonly lastId: number }

/** What a change of rows adds to its collection, whose expiry is then extended. */
export function updateCollection(
  { transaction, nowMs }: HeldWallet,
  { id, expires_at }: CollectionTable,
  { rows, bytes, lastId }: CollectionChange,
) {
  const expiresAtMs = Math.max(expires_at, nowMs + TTL_AFTER_WRITE_MS)
  const statement = transaction
    .updateTable('collection')
    .set((row) => ({
      row_count: row('row_count', '+', rows),
      bytes: row('bytes', '+', bytes),
      last_id: row.case().when('last_id', '<', lastId).then(lastId).else(row.ref('last_id')).end(),
      updated_at: nowMs,
      expires_at: row
        .case()
        .when('expires_at', '<', expiresAtMs)
        .then(expiresAtMs)
        .else(row.ref('expires_at'))
        .end(),
    }))
    .where('id', '=', id)
  return { statement, expiresAtMs }
}
