import { ProblemError } from '../../catalogue/problem.ts'
import type { PadTable } from '../../state/tables/scratchpad.ts'
import { changeWallet, type HeldWallet, type WalletCall } from '../wallet/change-wallet.ts'

/** Changes a wallet's pads, of which the expired ones are deleted first, as `changeWallet` does. */
export function changePads<Result>(
  call: WalletCall,
  work: (held: HeldWallet) => Promise<Result>,
): Promise<Result> {
  return changeWallet(call, async (wallet) => {
    const expired = await wallet.transaction
      .deleteFrom('pad')
      .where('wallet', '=', wallet.wallet)
      .where('expires_at', '<=', wallet.nowMs)
      .returning('bytes')
      .execute()
    const held = { ...wallet, padBytes: expired.reduce((sum, { bytes }) => sum - bytes, wallet.padBytes) }
    if (expired.length > 0) await setPadBytes(held, held.padBytes)
    return work(held)
  })
}

/** Writes the sum of the bytes of a wallet's pads. */
export async function setPadBytes({ transaction, wallet }: HeldWallet, padBytes: number): Promise<void> {
  const update = transaction.updateTable('wallet').set({ pad_bytes: padBytes })
  await update.where('address', '=', wallet).execute()
}

/** The wallet's pad of that name; null when there is none, or no longer. */
export async function findPad(held: HeldWallet, name: string): Promise<PadTable | null> {
  const { transaction, wallet, nowMs } = held
  const pad = transaction.selectFrom('pad').selectAll().where('wallet', '=', wallet).where('name', '=', name)
  return (await pad.where('expires_at', '>', nowMs).executeTakeFirst()) ?? null
}

/** @throws ProblemError `version_conflict` unless the pad has the expected version, 0 for an absent one; null expects nothing. */
export function expectVersion(pad: PadTable | null, expected: number | null): void {
  const version = pad?.version ?? 0
  if (expected === null || expected === version) return
  const detail = pad ? `The pad has version ${version}.` : 'There is no such pad.'
  throw new ProblemError({ code: 'version_conflict', detail, members: { version } })
}

export function noSuchPad(name: string) {
  return { code: 'not_found', detail: `The paying wallet has no pad named ${name}.` } as const
}
