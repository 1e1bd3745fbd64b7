import { ProblemError } from '@tollbook/http/problem'
import type { State } from '../../state/state.ts'
import type { SocialOperation } from '../provider.ts'

const DAY_MS = 86_400_000

/**
 * How many objects may be fetched from an upstream in a UTC day, by operation; `*` for each operation without
 * its own entry.
 */
export type DailyObjects = Readonly<Record<string, number>>

export type UpstreamBudget = {
  /**
   * Takes objects from the day's budget before they are requested.
   * @returns a function to call with the number of objects used; the rest is given back.
   * @throws ProblemError `unavailable` until the next day if fewer are left.
   */
  reserve(operation: SocialOperation, objects: number): Promise<(used: number) => Promise<void>>
  /** How long an operation's budget is exhausted, ms; synchronous. */
  spentMs(operation: SocialOperation): number
}

type Options = {
  readonly state: State
  /** Owner of the budget. */
  readonly provider: string
  readonly daily: DailyObjects
  /** Epoch milliseconds. */
  readonly nowMs: () => number
}

/** The limit of an operation; undefined if it has none. */
export function findDailyMax(daily: DailyObjects, operation: string): number | undefined {
  return Object.hasOwn(daily, operation) ? daily[operation] : daily['*']
}

/** A budget per UTC day that all processes on one store share and never exceed. */
export function createUpstreamBudget({ state, provider, daily, nowMs }: Options): UpstreamBudget {
  const spentOn = new Map<SocialOperation, number>()
  const today = () => Math.floor(nowMs() / DAY_MS)
  return {
    async reserve(operation, objects) {
      const max = findDailyMax(daily, operation)
      const day = today()
      const isTaken = await take(operation, day, objects, max ?? Number.MAX_SAFE_INTEGER)
      if (!isTaken) {
        spentOn.set(operation, day)
        throw spent((day + 1) * DAY_MS - nowMs())
      }
      return async (used) => {
        if (used !== objects) await add(operation, day, used - objects)
      }
    },
    spentMs: (operation) =>
      spentOn.get(operation) === today() ? Math.max(0, (today() + 1) * DAY_MS - nowMs()) : 0,
  }

  async function take(operation: string, day: number, objects: number, max: number): Promise<boolean> {
    if (objects > max) return false
    const { numInsertedOrUpdatedRows } = await state.db
      .insertInto('social_upstream_use')
      .values({ provider, operation, day, objects })
      .onConflict((conflict) =>
        conflict
          .columns(['provider', 'operation', 'day'])
          .doUpdateSet((eb) => ({ objects: eb('social_upstream_use.objects', '+', objects) }))
          .where('social_upstream_use.objects', '<=', max - objects),
      )
      .executeTakeFirst()
    return numInsertedOrUpdatedRows === 1n
  }

  async function add(operation: string, day: number, objects: number): Promise<void> {
    await state.db
      .updateTable('social_upstream_use')
      .set((eb) => ({ objects: eb('objects', '+', objects) }))
      .where('provider', '=', provider)
      .where('operation', '=', operation)
      .where('day', '=', day)
      .execute()
  }
}

/** Objects taken from the budgets in the UTC day, by all processes on the state. */
export async function readSpentToday(
  { db }: State,
  provider: string,
  nowMs: number,
): Promise<readonly { readonly operation: string; readonly objects: number }[]> {
  return db
    .selectFrom('social_upstream_use')
    .select(['operation', 'objects'])
    .where('provider', '=', provider)
    .where('day', '=', Math.floor(nowMs / DAY_MS))
    .execute()
}

function spent(leftMs: number): ProblemError {
  return new ProblemError({
    code: 'unavailable',
    detail: 'The daily budget of this service for this operation is exhausted.',
    retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
  })
}
