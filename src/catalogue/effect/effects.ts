import { type Compilable, CompiledQuery, type Transaction } from 'kysely'
import type { State } from '../../state/state.ts'
import type { Tables } from '../../state/tables.ts'

/** What a paid call changes beyond its answer. */
export type EffectKind =
  /** Nothing but caches and counters of our own. */
  | 'none'
  /** Rows of the state, staged by the handler and written with the settlement of its payment. */
  | 'staged'
  /** Rows of the state, written by the pieces of a live answer after its first: an `exact` payment has settled then. */
  | 'settled-first'

/** The rows that a change needs to itself until it is written or discarded. */
export type EffectLock = {
  /** Whose data it is, such as `wallet/0x…`: the changes of one owner are staged one after another. */
  readonly owner: string
  /** What of it, such as `collection/trades`. */
  readonly resource: string
  /** One row of the resource that changes, or null for none in particular. */
  readonly part: string | null
  /** Whether nobody else may change the resource meanwhile; a shared lock excludes exclusive ones, and its own part. */
  readonly isExclusive: boolean
}

/** A change as it is staged. Its statements are relative (`count + 1`), since others may be written before it. */
export type Effect = EffectLock & {
  /** Whether it makes the resource. */
  readonly isNew: boolean
  /** What it adds to the bytes of its owner, and to the rows of its resource; below 0 where it removes. */
  readonly bytes: number
  readonly rows: number
  /** The highest number that it gives to a new row of the resource; 0 where it gives none. */
  readonly lastId: number
  readonly statements: readonly Compilable[]
}

/** A staged change of another call, without its statements. */
export type PendingEffect = Omit<Effect, 'owner' | 'statements'>

/** Takes the change of one call. */
export interface Effects {
  /**
   * Runs work in a transaction and takes what it wants to change. A staged change is written when the call settles and
   * discarded when the call is released; nobody reads it before.
   * @throws ProblemError when the call is no longer served by this process; whatever the work throws.
   */
  stage<Result>(state: State, work: EffectWork<Result>): Promise<Result>
}

export type EffectWork<Result> = (transaction: Transaction<Tables>) => Promise<Staged<Result>>

/** The result of a change, and what it writes; null where nothing changes. */
export type Staged<Result> = { readonly result: Result; readonly effect: Effect | null }

/** For changes that nobody pays for: they are written at once. */
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

/** What a handler may change through, by what its endpoint declares. */
export function toEffects(kind: EffectKind | undefined, paid: Effects | undefined): Effects {
  if (kind === 'staged') return paid ?? applyNow
  return kind === 'settled-first' ? applyNow : noEffects
}

/** For endpoints that declare no effect. */
const noEffects: Effects = {
  stage: () => Promise.reject(new Error("the endpoint must declare effect: 'staged' to change the state")),
}
