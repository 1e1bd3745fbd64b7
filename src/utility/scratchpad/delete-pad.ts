import { listPending } from '../../catalogue/effect/stage-effect.ts'
import type { Address } from '../../catalogue/endpoint.ts'
import { ProblemError } from '../../http/problem.ts'
import type { State } from '../../state/state.ts'
import { ownerOf, takeWallet, type WalletCall } from '../wallet/change-wallet.ts'
import { changePad, deleteExpired, expectVersion, findPad, noSuchPad } from './change-pads.ts'

/**
 * Deletes a pad with all its versions; returns the remaining bytes of the wallet's pads.
 * @throws ProblemError `not_found` or `version_conflict`.
 */
export function deletePad(call: WalletCall, name: string, expectedVersion: number | null) {
  return changePad(call, name, async (held) => {
    const pad = await findPad(held, name)
    if (!pad) throw new ProblemError(noSuchPad(name))
    expectVersion(pad, expectedVersion)
    const deletion = held.transaction.deleteFrom('pad').where('id', '=', pad.id)
    return {
      result: { bytesUsed: held.padBytes - pad.bytes },
      change: { isNew: false, bytes: -pad.bytes, rows: 0, lastId: 0, statements: [deletion] },
    }
  })
}

/**
 * Deletes all expired pads.
 * @returns the wallets that had any.
 */
export async function deleteExpiredPads(
  state: State,
  now: Date,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const expired = state.db.selectFrom('pad').select('wallet').distinct()
  const wallets = await expired.where('expires_at', '<=', now.getTime()).execute()
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
