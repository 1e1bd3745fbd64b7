import { ProblemError } from '@tollbook/http/problem'
import type { PadTable } from '../state/scratchpad-tables.ts'
import { changeResource } from '../wallet/change-resource.ts'
import type { HeldWallet, WalletCall } from '../wallet/change-wallet.ts'

/**
 * Deletes a pad with all its versions; returns the remaining bytes of the wallet's pads.
 * @throws ProblemError `not_found` or `version_conflict`.
 */
export function deletePad(call: WalletCall, name: string, expectedVersion: number | null) {
  return changeResource(call, { kind: 'pad', name, part: null, isExclusive: true }, async (held) => {
    const pad = await findPad(held, name)
    if (!pad) throw new ProblemError(noSuchPad(name))
    expectVersion(pad, expectedVersion)
    const deletion = held.transaction.deleteFrom('pad').where('id', '=', pad.id)
    return {
      result: { bytesUsed: held.bytes.pad - pad.bytes },
      change: { isNew: false, bytes: -pad.bytes, rows: 0, lastId: 0, statements: [deletion] },
    }
  })
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
