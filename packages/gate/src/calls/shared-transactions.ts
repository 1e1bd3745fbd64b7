import type { Transaction } from 'kysely'
import type { State } from '../state/state.ts'
import type { Tables } from '../state/tables.ts'

/** Writes of one transaction; false undoes them. Rejects or returns only after its queries have ended. */
export type Work = (transaction: Transaction<Tables>) => Promise<boolean>

/** Maximum number of works in one transaction: other writes wait until it ends. */
const MAX_WORKS = 100

type Waiting = {
  readonly work: Work
  readonly resolve: (isDone: boolean | Promise<boolean>) => void
}

/**
 * Runs works that write different rows, each in a transaction. SQLite has one writer, so the works that arrive while
 * a transaction runs share the next one, and its flush. If one of them fails, all are undone and run alone.
 */
export function createSharedTransactions(state: State): (work: Work) => Promise<boolean> {
  const waiting: Waiting[] = []
  let isRunning = false

  async function runWaiting(): Promise<void> {
    isRunning = true
    while (waiting.length > 0) {
      const group = waiting.splice(0, MAX_WORKS)
      const works = group.map(({ work }) => work)
      const isCommitted = group.length > 1 && (await commitAll(state, works).catch(() => null)) !== null
      for (const { work, resolve } of group) resolve(isCommitted || runAlone(state, work))
    }
    isRunning = false
  }

  return (work) => {
    if (state.kind !== 'sqlite') return runAlone(state, work)
    return new Promise((resolve) => {
      waiting.push({ work, resolve })
      // The works of one turn of the event loop are together from the start.
      if (!isRunning) {
        isRunning = true
        setImmediate(() => void runWaiting())
      }
    })
  }
}

/** Runs a work in its own transaction. */
export async function runAlone(state: State, work: Work): Promise<boolean> {
  return (await commitAll(state, [work])) !== null
}

/** Null if one of them returned false, and all are undone. */
async function commitAll(state: State, works: readonly Work[]): Promise<true | null> {
  try {
    return await state.db.transaction().execute(async (transaction) => {
      const ended = await Promise.allSettled(works.map((work) => work(transaction)))
      for (const result of ended) {
        if (result.status === 'rejected') throw result.reason
        if (!result.value) throw new Undone()
      }
      return true as const
    })
  } catch (error) {
    if (error instanceof Undone) return null
    throw error
  }
}

/** Undoes a transaction. */
class Undone extends Error {}
