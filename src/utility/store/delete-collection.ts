import type { State } from '../../state/state.ts'
import type { WalletCall } from '../wallet/change-wallet.ts'
import { changeStore, countBytes } from './change-store.ts'
import { requireCollection } from './find-collection.ts'

/**
 * Deletes a collection with all its rows.
 * @throws ProblemError `not_found`.
 */
export function deleteCollection(call: WalletCall, name: string) {
  return changeStore(call, async (held) => {
    const collection = await requireCollection(held.transaction, { ...held, name })
    await held.transaction.deleteFrom('collection').where('id', '=', collection.id).execute()
    return { deletedRows: collection.row_count, bytesUsed: await countBytes(held, -collection.bytes) }
  })
}

/**
 * Deletes all expired collections.
 * @returns the wallets that had some.
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
    // The column holds what changeWallet wrote there: addresses. A change deletes what expired.
    const call = { state, wallet: wallet as `0x${string}`, callId: null, now, signal }
    await changeStore(call, async () => null)
  }
  return wallets.map(({ wallet }) => wallet)
}
