import type { Effects } from '@tollbook/gate/contract/effects'
import { CompiledQuery } from 'kysely'

/** What a paid call changes besides its answer. */
export type EffectKind =
  /** Only our own caches and counters. */
  | 'none'
  /** Rows of the state, staged by the handler and written with the settlement of its payment. */
  | 'staged'
  /** Rows written by pieces of a stream after the first: an `exact` payment has settled by then. */
  | 'settled-first'

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
