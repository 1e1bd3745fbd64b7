import { listPending } from '@tollbook/endpoints/effect/stage-effect'
import type { Address } from '@tollbook/endpoints/endpoint'
import { ProblemError } from '@tollbook/http/problem'
import type { State } from '../state/state.ts'
import {
  COLUMNS,
  changeWallet,
  countNew,
  type HeldWallet,
  namesPending,
  ownerOf,
  type ResourceKind,
  takeWallet,
  toResource,
  type WalletCall,
  type WalletChange,
  type WalletLock,
} from './change-wallet.ts'

type ResourceLock = Omit<WalletLock, 'resource'> & { readonly kind: ResourceKind; readonly name: string }

/** Changes a collection or pad of a wallet, as `changeWallet` does, after deleting the expired ones of the wallet. */
export function changeResource<Result>(
  call: WalletCall,
  { kind, name, ...lock }: ResourceLock,
  work: (held: HeldWallet) => Promise<WalletChange<Result>>,
): Promise<Result> {
  return changeWallet(call, { ...lock, resource: toResource(kind, name) }, async (wallet) => {
    const freed = await deleteExpired(kind, wallet)
    return work({ ...wallet, bytes: { ...wallet.bytes, [kind]: wallet.bytes[kind] - freed } })
  })
}

/**
 * Deletes expired data of wallets that no longer call, to free disk space; it is already invisible.
 * @returns the number of wallets that had any.
 */
export async function sweepWallets(state: State, now: Date, signal: AbortSignal): Promise<number> {
  const nowMs = now.getTime()
  const swept = new Set<string>()
  for (const kind of ['collection', 'pad'] as const) {
    const expired = state.db.selectFrom(kind).select('wallet').distinct().where('expires_at', '<=', nowMs)
    for (const { wallet } of await expired.execute()) {
      signal.throwIfAborted()
      await state.db.transaction().execute(async (transaction) => {
        // The column holds only addresses written by changeWallet.
        const address = wallet as Address
        await takeWallet(transaction, address)
        const pending = await listPending(transaction, ownerOf(address))
        await deleteExpired(kind, { transaction, wallet: address, pending, nowMs })
      })
      swept.add(wallet)
    }
  }
  return swept.size
}

/** Deletes what is expired except what staged changes will extend; returns its bytes. */
async function deleteExpired(
  kind: ResourceKind,
  { transaction, wallet, pending, nowMs }: Pick<HeldWallet, 'transaction' | 'wallet' | 'pending' | 'nowMs'>,
): Promise<number> {
  const retained = namesPending(kind, pending)
  let deletion = transaction.deleteFrom(kind).where('wallet', '=', wallet).where('expires_at', '<=', nowMs)
  if (retained.length > 0) deletion = deletion.where('name', 'not in', retained)
  const expired = await deletion.returning('bytes').execute()
  const freed = expired.reduce((sum, { bytes }) => sum + bytes, 0)
  if (freed > 0) {
    const column = COLUMNS[kind]
    const update = transaction.updateTable('wallet').set((row) => ({ [column]: row(column, '-', freed) }))
    await update.where('address', '=', wallet).execute()
  }
  return freed
}

/**
 * The bytes of the wallet's collections or pads after adding or freeing this many.
 * @throws ProblemError `quota_exceeded` if an addition would exceed the quota.
 */
export function addBytes(used: number, added: number, quota: number): number {
  const sum = used + added
  if (added <= 0 || sum <= quota) return sum
  throw new ProblemError({
    code: 'quota_exceeded',
    detail: `The call needs ${added} bytes; ${quota - used} of ${quota} are free.`,
    members: { bytes_used: used, quota_bytes: quota, bytes_needed: added },
  })
}

/** @throws ProblemError `cannot_be_served` if the wallet has the maximum number of collections or pads. */
export async function requireRoom(kind: ResourceKind, held: HeldWallet, max: number): Promise<void> {
  const { count: written } = await held.transaction
    .selectFrom(kind)
    .select((query) => query.fn.countAll<number>().as('count'))
    .where('wallet', '=', held.wallet)
    .executeTakeFirstOrThrow()
  const count = written + countNew(kind, held)
  if (count < max) return
  const detail = `The wallet has ${count} ${kind}s, the maximum; delete one first.`
  throw new ProblemError({ code: 'cannot_be_served', detail })
}
