import type { Transaction } from 'kysely'
import type { Address } from '../../catalogue/endpoint.ts'
import { ProblemError } from '../../catalogue/problem.ts'
import type { State } from '../../state/state.ts'
import type { CollectionTable } from '../../state/tables/wallet.ts'
import type { Tables } from '../../state/tables.ts'
import { KEPT_AFTER_WRITE_MS, QUOTA_BYTES } from './limits.ts'

/** Whose store is changed, when, and until when the caller waits. */
export type WalletCall = {
  readonly state: State
  readonly wallet: Address
  /** A change with the id of an earlier one is not made again; null for changes that nobody asked for. */
  readonly callId: string | null
  readonly now: Date
  readonly signal: AbortSignal
}

/** A wallet whose writes wait for this one, without its expired collections. */
export type HeldWallet = {
  readonly transaction: Transaction<Tables>
  readonly wallet: Address
  readonly bytesUsed: number
  readonly nowMs: number
}

/** Longer than any authorization lives, and than stored answers are repeated. */
const CHANGES_KEPT_MS = 48 * 3_600_000

/**
 * Changes a wallet's store in one transaction, one after another for each wallet, in any number of processes:
 * the first statement takes the row that counts the wallet's bytes. A call that runs again is given what its
 * first run gave; `Result` is plain JSON.
 */
export function changeWallet<Result>(
  call: WalletCall,
  work: (held: HeldWallet) => Promise<Result>,
): Promise<Result> {
  const { state, wallet, now, signal } = call
  const nowMs = now.getTime()
  return state.db.transaction().execute(async (transaction) => {
    const { bytes_used } = await transaction
      .insertInto('wallet')
      .values({ address: wallet, bytes_used: 0 })
      .onConflict((conflict) =>
        conflict.column('address').doUpdateSet((row) => ({ bytes_used: row.ref('wallet.bytes_used') })),
      )
      .returning('bytes_used')
      .executeTakeFirstOrThrow()
    const freed = await deleteExpired(transaction, wallet, nowMs)
    const held = { transaction, wallet, bytesUsed: bytes_used - freed, nowMs }
    if (freed > 0) await countBytes(held, 0)
    const made = await findChange(transaction, call)
    if (made) return JSON.parse(made) as Result
    const result = await work(held)
    await keepChange(transaction, call, result)
    // Whoever was told that the call took too long must not find it done.
    signal.throwIfAborted()
    return result
  })
}

async function findChange(transaction: Transaction<Tables>, { callId }: WalletCall): Promise<string | null> {
  if (callId === null) return null
  const change = transaction.selectFrom('wallet_change').select('result').where('call_id', '=', callId)
  return (await change.executeTakeFirst())?.result ?? null
}

async function keepChange(
  transaction: Transaction<Tables>,
  call: WalletCall,
  result: unknown,
): Promise<void> {
  const { callId, wallet, now } = call
  const made_at = now.getTime()
  const old = transaction.deleteFrom('wallet_change').where('wallet', '=', wallet)
  await old.where('made_at', '<', made_at - CHANGES_KEPT_MS).execute()
  if (callId === null) return
  const change = { call_id: callId, wallet, made_at, result: JSON.stringify(result) }
  await transaction.insertInto('wallet_change').values(change).execute()
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
      members: { used: held.bytesUsed, limit: QUOTA_BYTES, needed: addedBytes },
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
