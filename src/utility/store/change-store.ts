import { ProblemError } from '../../http/problem.ts'
import type { CollectionTable } from '../../state/tables/wallet.ts'
import {
  changeWallet,
  type HeldWallet,
  namesPending,
  toResource,
  type WalletCall,
  type WalletChange,
  type WalletLock,
} from '../wallet/change-wallet.ts'
import { QUOTA_BYTES, TTL_AFTER_WRITE_MS } from './contract.ts'

type StoreLock = Omit<WalletLock, 'resource'> & { readonly name: string }

/** Changes a wallet's collection, as `changeWallet` does, after deleting the expired ones of the wallet. */
export function changeStore<Result>(
  call: WalletCall,
  { name, ...lock }: StoreLock,
  work: (held: HeldWallet) => Promise<WalletChange<Result>>,
): Promise<Result> {
  return changeWallet(call, { ...lock, resource: toResource('collection', name) }, async (wallet) => {
    const freed = await deleteExpired(wallet)
    return work({ ...wallet, bytesUsed: wallet.bytesUsed - freed })
  })
}

/**
 * Deletes the wallet's expired collections except those that staged changes will extend; returns their bytes.
 */
export async function deleteExpired(
  held: Pick<HeldWallet, 'transaction' | 'wallet' | 'pending' | 'nowMs'>,
): Promise<number> {
  const { transaction, wallet, nowMs } = held
  const retained = namesPending('collection', held.pending)
  let deletion = transaction
    .deleteFrom('collection')
    .where('wallet', '=', wallet)
    .where('expires_at', '<=', nowMs)
  if (retained.length > 0) deletion = deletion.where('name', 'not in', retained)
  const expired = await deletion.returning('bytes').execute()
  const freed = expired.reduce((sum, { bytes }) => sum + bytes, 0)
  if (freed > 0) {
    const update = transaction
      .updateTable('wallet')
      .set((row) => ({ bytes_used: row('bytes_used', '-', freed) }))
    await update.where('address', '=', wallet).execute()
  }
  return freed
}

/**
 * The wallet's bytes after adding or freeing this many.
 * @throws ProblemError `quota_exceeded` if an addition would exceed the quota.
 */
export function sumBytes({ bytesUsed }: HeldWallet, addedBytes: number): number {
  const sum = bytesUsed + addedBytes
  if (addedBytes <= 0 || sum <= QUOTA_BYTES) return sum
  throw new ProblemError({
    code: 'quota_exceeded',
    detail: `The call needs ${addedBytes} bytes; ${QUOTA_BYTES - bytesUsed} of ${QUOTA_BYTES} are free.`,
    members: { bytes_used: bytesUsed, quota_bytes: QUOTA_BYTES, bytes_needed: addedBytes },
  })
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
