import { ProblemError } from '../../../catalogue/problem.ts'
import type { State } from '../../../state/state.ts'
import type { SocialOperation } from '../provider.ts'

const DAY_MS = 86_400_000

/** How many objects may be fetched from an upstream in a UTC day, by operation; `*` for each that is not named. */
export type DailyObjects = Readonly<Record<string, number>>

export type UpstreamBudget = {
  /**
   * Takes objects from the day's budget before they are asked for.
   * @returns what is told afterwards how many there were; the rest is given back.
   * @throws ProblemError `unavailable` until the next day when so many are not left.
   */
  reserve(operation: SocialOperation, objects: number): Promise<(used: number) => Promise<void>>
  /** For how long an operation has nothing left, known without waiting, ms. */
  spentMs(operation: SocialOperation): number
}

type Options = {
  readonly state: State
  /** Whose objects they are. */
  readonly provider: string
  readonly daily: DailyObjects
  /** Epoch milliseconds. */
  readonly nowMs: () => number
}

/** A budget of a UTC day that all processes on one store share, and that never is exceeded. */
export function createUpstreamBudget({ state, provider, daily, nowMs }: Options): UpstreamBudget {
  const spentOn = new Map<SocialOperation, number>()
  const today = () => Math.floor(nowMs() / DAY_MS)
  return {
    async reserve(operation, objects) {
      const max = Object.hasOwn(daily, operation) ? daily[operation] : daily['*']
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

/** What was taken from the budgets of the UTC day, by all processes on the state. */
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
    detail: 'What this service may fetch of this kind today is used up.',
    retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
  })
}
