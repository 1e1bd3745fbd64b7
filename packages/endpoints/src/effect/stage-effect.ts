import { setTimeout as wait } from 'node:timers/promises'
import type { EffectTables } from '@tollbook/gate/contract/effect-tables'
import type { EffectLock, Effects, PendingEffect, Staged } from '@tollbook/gate/contract/effects'
import { ProblemError } from '@tollbook/http/problem'
import type { State } from '@tollbook/store/state'
import { type QueryExecutorProvider, sql, type Transaction } from 'kysely'

/** Most settlements finish sooner; a longer wait would use up the time limit of the call itself. */
const MAX_WAIT_MS = 5_000
const LOOK_EVERY_MS = 50

export type StageOptions<Tables> = {
  readonly state: State<Tables>
  readonly effects: Effects
  readonly signal: AbortSignal
  readonly owner: string
}

export type Staging<Tables, Guarded> = {
  readonly transaction: Transaction<Tables>
  /** The staged changes of all calls of the same owner. */
  readonly pending: readonly PendingEffect[]
  /** What the guard returned. */
  readonly guarded: Guarded
}

/**
 * Stages a change, once no conflicting one is pending. @throws ProblemError `write_pending`; the signal's
 * reason.
 * @param guard writes to the row that all changes of the owner lock first; see `State`.
 */
export async function stageEffect<Tables extends EffectTables, Guarded, Result>(
  { state, effects, signal, owner }: StageOptions<Tables>,
  guard: (transaction: Transaction<Tables>) => Promise<Guarded>,
  work: (staging: Staging<Tables, Guarded>) => Promise<Staged<Result>>,
): Promise<Result> {
  const giveUpAt = performance.now() + MAX_WAIT_MS
  for (;;) {
    try {
      return await effects.stage(state, async (transaction) => {
        const guarded = await guard(transaction)
        const pending = await listPending(transaction, owner)
        const staged = await work({ transaction, pending, guarded })
        // If the call timed out, its change must not be made.
        signal.throwIfAborted()
        return staged
      })
    } catch (error) {
      if (!(error instanceof PendingConflict)) throw error
      do {
        if (performance.now() > giveUpAt) throw new ProblemError(WRITE_PENDING)
        await wait(LOOK_EVERY_MS, undefined, { signal })
      } while (isTaken(error.lock, await listPending(state.db, owner)))
    }
  }
}

/** @throws PendingConflict, on which `stageEffect` waits, if a staged change locks these rows. */
export function requireFree(lock: ResourceLock, pending: readonly PendingEffect[]): void {
  if (isTaken(lock, pending)) throw new PendingConflict(lock)
}

/** Aborts a transaction that has to wait. */
class PendingConflict extends Error {
  override readonly name = 'PendingConflict'
  readonly lock: ResourceLock
  constructor(lock: ResourceLock) {
    super(`a staged change of ${lock.resource} is pending`)
    this.lock = lock
  }
}

type ResourceLock = Omit<EffectLock, 'owner'>

const WRITE_PENDING = {
  code: 'write_pending',
  detail: 'Another call changes the same data, and its payment has not settled yet.',
  retryAfterSeconds: 2,
} as const

export async function listPending(
  db: QueryExecutorProvider,
  owner: string,
): Promise<readonly PendingEffect[]> {
  const { rows } = await sql<EffectTables['call_effect']>`
    select resource, part, is_exclusive, is_new, bytes, rows, last_id from call_effect where owner = ${owner}
  `.execute(db)
  return rows.map(({ is_exclusive, is_new, last_id, ...row }) => ({
    ...row,
    isExclusive: is_exclusive === 1,
    isNew: is_new === 1,
    lastId: last_id,
  }))
}

function isTaken({ resource, part, isExclusive }: ResourceLock, pending: readonly PendingEffect[]): boolean {
  const others = pending.filter((other) => other.resource === resource)
  return others.some((other) => isExclusive || other.isExclusive || (part !== null && part === other.part))
}
