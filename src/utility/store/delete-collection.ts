import { listPending } from '../../catalogue/effect/stage-effect.ts'
import type { Address } from '../../catalogue/endpoint.ts'
import type { State } from '../../state/state.ts'
import { ownerOf, takeWallet, type WalletCall } from '../wallet/change-wallet.ts'
import { changeStore, deleteExpired, sumBytes } from './change-store.ts'
import { requireCollection } from './find-collection.ts'

/**
 * Deletes a collection with all its rows.
 * @throws ProblemError `not_found`.
 */
export function deleteCollection(call: WalletCall, name: string) {
  return changeStore(call, { name, part: null, isExclusive: true }, async (held) => {
    const { id, row_count, bytes } = await requireCollection(held.transaction, { ...held, name })
    const deletion = held.transaction.deleteFrom('collection').where('id', '=', id)
    return {
      result: { deletedRows: row_count, bytesUsed: sumBytes(held, -bytes) },
      change: { isNew: false, bytes: -bytes, rows: -row_count, lastId: 0, statements: [deletion] },
    }
  })
}

/**
 * Deletes all expired collections.
 * @returns the wallets that had any.
 */
export async function deleteExpiredCollections(
  state: State,
  now: Date,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const wallets = await state.db
    .selectFrom('collection')
    .select('wallet')
    .distinct()
    .where('expires_at', '<=', now.getTime())
    .execute()
  for (const { wallet } of wallets) {
    signal.throwIfAborted()
    await state.db.transaction().execute(async (transaction) => {
      // The column holds only addresses written by changeWallet.
      const address = wallet as Address
      await takeWallet(transaction, address)
      const pending = await listPending(transaction, ownerOf(address))
      await deleteExpired({ transaction, wallet: address, pending, nowMs: now.getTime() })
    })
  }
  return wallets.map(({ wallet }) => wallet)
}
