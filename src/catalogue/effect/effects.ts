import { type Compilable, CompiledQuery, type Transaction } from 'kysely'
import type { State } from '../../state/state.ts'
import type { EffectTables } from './effect-tables.ts'

/** What a paid call changes besides its answer. */
export type EffectKind =
  /** Only our own caches and counters. */
  | 'none'
  /** Rows of the state, staged by the handler and written with the settlement of its payment. */
  | 'staged'
  /** Rows written by pieces of a stream after the first: an `exact` payment has settled by then. */
  | 'settled-first'

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

/** For changes without a payment: they are written at once. */
export const applyNow: Effects = {
  stage: (state, work) =>
    state.db.transaction().execute(async (transaction) => {
      const { result, effect } = await work(transaction)
      for (const statement of effect?.statements ?? []) {
        const { sql, parameters } = statement.compile()
        await transaction.executeQuery(CompiledQuery.raw(sql, [...parameters]))
      }
      return result
    }),
}

/** The ways in which a handler may change the state, by its endpoint's declared effect. */
export function toEffects(kind: EffectKind | undefined, paid: Effects | undefined): Effects {
  if (kind === 'staged') return paid ?? applyNow
  return kind === 'settled-first' ? applyNow : noEffects
}

/** For endpoints that declare no effect. */
const noEffects: Effects = {
  stage: () => Promise.reject(new Error("the endpoint must declare effect: 'staged' to change the state")),
}
