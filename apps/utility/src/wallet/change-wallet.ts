import { requireFree, stageEffect } from '@tollbook/endpoints/effect/stage-effect'
import type { Address } from '@tollbook/endpoints/endpoint'
import type { Effect, EffectLock, Effects, PendingEffect } from '@tollbook/gate/contract/effects'
import type { Transaction } from 'kysely'
import type { State } from '../state/state.ts'
import type { Tables } from '../state/tables.ts'

/** The wallet to change, the time, and how long the caller waits. */
export type WalletCall = {
  readonly state: State
  readonly wallet: Address
  readonly effects: Effects
  readonly now: Date
  readonly signal: AbortSignal
}

/** A locked wallet. Its counters include changes that are staged and not written yet. */
export type HeldWallet = {
  readonly transaction: Transaction<Tables>
  readonly wallet: Address
  /** Bytes of its collections, and of its pads. */
  readonly bytes: Readonly<Record<ResourceKind, number>>
  /** Staged changes of other calls, none of which conflicts with this one. */
  readonly pending: readonly PendingEffect[]
  readonly nowMs: number
}

export type WalletLock = Omit<EffectLock, 'owner'>

export type WalletChange<Result> = {
  readonly result: Result
  readonly change: Pick<Effect, 'isNew' | 'bytes' | 'rows' | 'lastId' | 'statements'> & {
    /** Set if the change needs a wider lock than requested; the work has then checked for pending changes. */
    readonly isExclusive?: boolean
  }
}

/** Counters of the bytes of a wallet's collections and pads. */
export const COLUMNS = { collection: 'bytes_used', pad: 'pad_bytes' } as const
export type ResourceKind = keyof typeof COLUMNS

/** The name of a collection or pad in a lock. */
export function toResource(kind: ResourceKind, name: string): string {
  return `${kind}/${name}`
}

/** Names of the collections or pads in staged changes. */
export function namesPending(kind: ResourceKind, pending: readonly PendingEffect[]): readonly string[] {
  const resources = pending.map(({ resource }) => resource).filter((resource) => isOf(kind, resource))
  // Names contain no slash.
  return resources.map((resource) => resource.split('/')[1] ?? '')
}

/** How many collections or pads the staged changes create. */
export function countNew(kind: ResourceKind, { pending }: HeldWallet): number {
  return pending.filter(({ resource, isNew }) => isNew && isOf(kind, resource)).length
}

/**
 * Stages a change of a wallet's data, one after another for each wallet, in any number of processes: the
 * first statement locks the row that counts the wallet's bytes.
 * @throws ProblemError `write_pending` if the same data has a staged change of a call that does not settle.
 */
export function changeWallet<Result>(
  { state, wallet, effects, now, signal }: WalletCall,
  lock: WalletLock,
  work: (held: HeldWallet) => Promise<WalletChange<Result>>,
): Promise<Result> {
  const owner = ownerOf(wallet)
  const guard = (transaction: Transaction<Tables>) => takeWallet(transaction, wallet)
  return stageEffect({ state, effects, signal, owner }, guard, async (staging) => {
    const { transaction, pending, guarded } = staging
    requireFree(lock, pending)
    const held: HeldWallet = {
      transaction,
      wallet,
      bytes: {
        collection: guarded.bytes_used + addedBytes('collection', pending),
        pad: guarded.pad_bytes + addedBytes('pad', pending),
      },
      pending,
      nowMs: now.getTime(),
    }
    const { result, change } = await work(held)
    // First, so that a concurrent change of the wallet sees all of this one or nothing.
    const statements = [countBytes(transaction, lock, wallet, change.bytes), ...change.statements]
    return { result, effect: { owner, ...lock, ...change, statements } }
  })
}

/** The owner of a wallet's staged changes. */
export function ownerOf(wallet: Address): string {
  return `wallet/${wallet}`
}

/** Locks the row that guards a wallet's data. */
export function takeWallet(transaction: Transaction<Tables>, wallet: Address) {
  return transaction
    .insertInto('wallet')
    .values({ address: wallet, bytes_used: 0 })
    .onConflict((conflict) =>
      conflict.column('address').doUpdateSet((row) => ({ bytes_used: row.ref('wallet.bytes_used') })),
    )
    .returning(['bytes_used', 'pad_bytes'])
    .executeTakeFirstOrThrow()
}

function countBytes(
  transaction: Transaction<Tables>,
  { resource }: WalletLock,
  wallet: Address,
  bytes: number,
) {
  const column = isOf('pad', resource) ? COLUMNS.pad : COLUMNS.collection
  return transaction
    .updateTable('wallet')
    .set((row) => ({ [column]: row(column, '+', bytes) }))
    .where('address', '=', wallet)
}

/** Space that staged changes will take; what they will free is not free yet. */
function addedBytes(kind: ResourceKind, pending: readonly PendingEffect[]): number {
  const added = pending.filter(({ resource, bytes }) => isOf(kind, resource) && bytes > 0)
  return added.reduce((sum, { bytes }) => sum + bytes, 0)
}

function isOf(kind: ResourceKind, resource: string): boolean {
  return resource.startsWith(`${kind}/`)
}
