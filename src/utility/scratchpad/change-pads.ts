import { ProblemError } from '../../http/problem.ts'
import type { PadTable } from '../../state/tables/scratchpad.ts'
import {
  changeWallet,
  type HeldWallet,
  namesPending,
  toResource,
  type WalletCall,
  type WalletChange,
} from '../wallet/change-wallet.ts'

/** Changes a wallet's pad, as `changeWallet` does, after deleting the expired ones of the wallet. */
export function changePad<Result>(
  call: WalletCall,
  name: string,
  work: (held: HeldWallet) => Promise<WalletChange<Result>>,
): Promise<Result> {
  const lock = { resource: toResource('pad', name), part: null, isExclusive: true }
  return changeWallet(call, lock, async (wallet) => {
    const freed = await deleteExpired(wallet)
    return work({ ...wallet, padBytes: wallet.padBytes - freed })
  })
}

/** Deletes the wallet's expired pads except those that staged changes will extend; returns their bytes. */
export async function deleteExpired(
  held: Pick<HeldWallet, 'transaction' | 'wallet' | 'pending' | 'nowMs'>,
): Promise<number> {
  const { transaction, wallet, nowMs } = held
  const retained = namesPending('pad', held.pending)
  let deletion = transaction.deleteFrom('pad').where('wallet', '=', wallet).where('expires_at', '<=', nowMs)
  if (retained.length > 0) deletion = deletion.where('name', 'not in', retained)
  const expired = await deletion.returning('bytes').execute()
  const freed = expired.reduce((sum, { bytes }) => sum + bytes, 0)
  if (freed > 0) {
    const update = transaction
      .updateTable('wallet')
      .set((row) => ({ pad_bytes: row('pad_bytes', '-', freed) }))
    await update.where('address', '=', wallet).execute()
  }
  return freed
}

/** The wallet's pad of that name; null if it is missing or expired. */
export async function findPad(held: HeldWallet, name: string): Promise<PadTable | null> {
  const { transaction, wallet, nowMs } = held
  const pad = transaction.selectFrom('pad').selectAll().where('wallet', '=', wallet).where('name', '=', name)
  return (await pad.where('expires_at', '>', nowMs).executeTakeFirst()) ?? null
}

/**
 * @throws ProblemError `version_conflict` unless the pad has the expected version, 0 for an absent one; null
 * accepts any.
 */
export function expectVersion(pad: PadTable | null, expected: number | null): void {
  const version = pad?.version ?? 0
  if (expected === null || expected === version) return
  const detail = pad ? `The pad has version ${version}.` : 'There is no such pad.'
  throw new ProblemError({ code: 'version_conflict', detail, members: { version } })
}

export function noSuchPad(name: string) {
  return { code: 'not_found', detail: `The paying wallet has no pad named ${name}.` } as const
}
