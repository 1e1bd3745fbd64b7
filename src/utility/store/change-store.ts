import type { Transaction } from 'kysely'
import type { Address } from '../../catalogue/endpoint.ts'
import { ProblemError } from '../../catalogue/problem.ts'
import type { CollectionTable } from '../../state/tables/wallet.ts'
import type { Tables } from '../../state/tables.ts'
import { changeWallet, type HeldWallet, type WalletCall } from '../wallet/change-wallet.ts'
import { KEPT_AFTER_WRITE_MS, QUOTA_BYTES } from './limits.ts'

/** Changes a wallet's collections, of which the expired ones are deleted first, as `changeWallet` does. */
export function changeStore<Result>(
  call: WalletCall,
  work: (held: HeldWallet) => Promise<Result>,
): Promise<Result> {
  return changeWallet(call, async (wallet) => {
    const freed = await deleteExpired(wallet.transaction, wallet.wallet, wallet.nowMs)
    const held = { ...wallet, bytesUsed: wallet.bytesUsed - freed }
    if (freed > 0) await countBytes(held, 0)
    return work(held)
  })
}

async function deleteExpired(transaction: Transaction<Tables>, wallet: Address, nowMs: number) {
  const expired = await transaction
    .deleteFrom('collection')
    .where('wallet', '=', wallet)
    .where('expires_at', '<=', nowMs)
    .returning('bytes')
    .execute()
  return expired.reduce((sum, { bytes }) => sum + bytes, 0)
}

/**
 * Adds to the wallet's bytes, or takes away, and gives the new sum.
 * @throws ProblemError `quota_exceeded` before the sum would pass the quota.
 */
export async function countBytes(held: HeldWallet, addedBytes: number): Promise<number> {
  const bytesUsed = held.bytesUsed + addedBytes
  if (addedBytes > 0 && bytesUsed > QUOTA_BYTES) {
    throw new ProblemError({
      code: 'quota_exceeded',
      detail: `The call needs ${addedBytes} bytes; ${QUOTA_BYTES - held.bytesUsed} of ${QUOTA_BYTES} are free.`,
      members: { bytes_used: held.bytesUsed, quota_bytes: QUOTA_BYTES, bytes_needed: addedBytes },
    })
  }
  const update = held.transaction.updateTable('wallet').set({ bytes_used: bytesUsed })
  await update.where('address', '=', held.wallet).execute()
  return bytesUsed
}

/** Writes what a call changed in a collection, and keeps it for longer. */
export async function updateCollection(
  { transaction, nowMs }: HeldWallet,
  collection: CollectionTable,
  changed: Partial<Pick<CollectionTable, 'row_count' | 'bytes' | 'last_id'>>,
): Promise<number> {
  const expires_at = Math.max(collection.expires_at, nowMs + KEPT_AFTER_WRITE_MS)
  const update = transaction.updateTable('collection').set({ ...changed, updated_at: nowMs, expires_at })
  await update.where('id', '=', collection.id).execute()
  return expires_at
}
