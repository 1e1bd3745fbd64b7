import type { State } from '../../state/state.ts'
import { changeWallet, countBytes, type WalletCall } from './change-wallet.ts'
import { requireCollection } from './find-collection.ts'

/**
 * Deletes a collection with all its rows.
 * @throws ProblemError `not_found`.
 */
export function deleteCollection(call: WalletCall, name: string) {
  return changeWallet(call, async (held) => {
    const collection = await requireCollection(held.transaction, { ...held, name })
    await held.transaction.deleteFrom('collection').where('id', '=', collection.id).execute()
    return { deletedRows: collection.row_count, bytesUsed: await countBytes(held, -collection.bytes) }
  })
}

/**
 * Deletes the expired collections of wallets that no longer call, to free the disk; nobody sees them anyway.
 * @returns the number of wallets that had some.
 */
export async function deleteExpiredCollections(
  state: State,
  now: Date,
  signal: AbortSignal,
): Promise<number> {
  const wallets = await state.db
    .selectFrom('collection')
    .select('wallet')
    .distinct()
    .where('expires_at', '<=', now.getTime())
    .execute()
  for (const { wallet } of wallets) {
    signal.throwIfAborted()
    // The column holds what changeWallet wrote there: addresses. Holding a wallet deletes what expired.
    const call = { state, wallet: wallet as `0x${string}`, callId: null, now, signal }
    await changeWallet(call, async () => null)
  }
  return wallets.length
}
