import { ProblemError } from '../../catalogue/problem.ts'
import type { State } from '../../state/state.ts'
import type { WalletCall } from '../wallet/change-wallet.ts'
import { changePads, expectVersion, findPad, noSuchPad, setPadBytes } from './change-pads.ts'

/**
 * Deletes a pad with all its versions; gives the bytes that the wallet's pads then have.
 * @throws ProblemError `not_found` or `version_conflict`.
 */
export function deletePad(call: WalletCall, name: string, expectedVersion: number | null) {
  return changePads(call, async (held) => {
    const pad = await findPad(held, name)
    if (!pad) throw new ProblemError(noSuchPad(name))
    expectVersion(pad, expectedVersion)
    await held.transaction.deleteFrom('pad').where('id', '=', pad.id).execute()
    const bytesUsed = held.padBytes - pad.bytes
    await setPadBytes(held, bytesUsed)
    return { bytesUsed }
  })
}

/**
 * Deletes all expired pads.
 * @returns the wallets that had some.
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
    // The column holds what changeWallet wrote there: addresses. A change deletes what expired.
    const call = { state, wallet: wallet as `0x${string}`, callId: null, now, signal }
    await changePads(call, async () => null)
  }
  return wallets.map(({ wallet }) => wallet)
}
