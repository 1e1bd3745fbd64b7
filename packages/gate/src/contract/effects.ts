import type { State } from '@tollbook/store/state'
import type { Compilable, Transaction } from 'kysely'
import type { EffectTables } from './effect-tables.ts'

/** The rows that a change locks until it is written or discarded. */
export type EffectLock = {
  /** The owner of the data, such as `wallet/0x…`: the changes of one owner are staged one after another. */
  readonly owner: string
  /** The owner's resource, such as `collection/trades`. */
  readonly resource: string
  /** The row of the resource that changes, or null for no particular row. */
  readonly part: string | null
  /** Exclusive on the resource; a shared lock conflicts with those, and with the same part. */
  readonly isExclusive: boolean
}

/** A staged change. Its statements are relative (`count + 1`), because others may be written before it. */
export type Effect = EffectLock & {
  /** Whether it creates the resource. */
  readonly isNew: boolean
  /** What it adds to the owner's bytes, and to the rows of the resource; negative if it removes. */
  readonly bytes: number
  readonly rows: number
  /** The highest number that it assigns to a new row of the resource; 0 if none. */
  readonly lastId: number
  readonly statements: readonly Compilable[]
}

/** A staged change of another call, without its statements. */
export type PendingEffect = Omit<Effect, 'owner' | 'statements'>

export interface Effects {
  /**
   * Stages the change that work in a transaction returns: written when the call settles, discarded when it
   * is released, invisible before. @throws ProblemError when another process serves the call; the work's
   * errors.
   */
  stage<Tables extends EffectTables, Result>(
    state: State<Tables>,
    work: EffectWork<Tables, Result>,
  ): Promise<Result>
}

export type EffectWork<Tables, Result> = (transaction: Transaction<Tables>) => Promise<Staged<Result>>

/** The result of a change, and what it writes; null if nothing changes. */
export type Staged<Result> = { readonly result: Result; readonly effect: Effect | null }
