import type { CollectionTable } from '../state/wallet-tables.ts'
import { changeWallet, toResource, type WalletCall } from '../wallet/change-wallet.ts'
import { TTL_AFTER_READ_MS } from './contract.ts'

/**
 * Extends the expiry of a collection that is read; usually a write already extended it further, and nothing
 * is written.
 */
export async function extendExpiry(
  call: WalletCall,
  { id, name, expires_at }: CollectionTable,
): Promise<number> {
  const expiresAtMs = call.now.getTime() + TTL_AFTER_READ_MS
  if (expires_at >= expiresAtMs) return expires_at
  // A separate lock resource: a read neither waits for a write nor blocks one.
  const resource = `${toResource('collection', name)}/expiry`
  return changeWallet(call, { resource, part: null, isExclusive: false }, async ({ transaction }) => {
    const keep = transaction
      .updateTable('collection')
      .set({ expires_at: expiresAtMs })
      .where('id', '=', id)
      .where('expires_at', '<', expiresAtMs)
    return {
      result: expiresAtMs,
      change: { isNew: false, bytes: 0, rows: 0, lastId: 0, statements: [keep] },
    }
  })
}
