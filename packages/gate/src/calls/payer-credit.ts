import type { Address } from '@tollbook/chain/hex'
import { sql } from 'kysely'
import type { State } from '../state/state.ts'
import { createPrepared } from './prepared.ts'

/**
 * Settled calls that cover the gas of one reverted settlement. The gas of a settlement costs at most twice what
 * its call earns (`TOLLBOOK_MAX_GAS_PERCENT`), and one that reverts uses less than one that pays.
 */
export const CALLS_PER_REVERT = 2
/** Calls beyond this are not counted. Chosen: two for each of the 64 concurrent calls of a payer. */
const MAX_CALLS = 128
/** Payers in memory; those left out are read from their rows, and may lose half of their calls. */
const MAX_PAYERS = 10_000

/**
 * What payers have paid, and whether it covers the gas of their reverted settlements. A wallet is free, so a
 * wallet is refused for long after a revert that it has not paid for. Only settled calls count: money that
 * others move to or from the wallet changes nothing.
 */
export interface PayerCredit {
  /** Loads what the payer's row has, if this process has not seen the payer. */
  learn(payer: Address, stored: { readonly calls: number; readonly revertedAt: number | null }): void
  /** Whether the payer's settled calls cover a reverted settlement. */
  isCovered(payer: Address): boolean
  /** Settlements of the payer that may be on their way at once: one, and one for each that is covered. */
  maxSettling(payer: Address): number
  /** Whether the payer is refused, as far as this process knows. */
  isBarred(payer: Address): boolean
  /** When a payer is served again whose settlement reverted at this time, epoch milliseconds; 0: now. */
  barredUntil(revertedAt: number | null): number
  /** The same as the payer's row has it, whichever process settled. */
  readBarredUntil(payer: Address): Promise<number>
  noteSettled(payer: Address): Promise<void>
  /** Subtracts the calls that cover a reverted settlement, or bars the payer. */
  noteReverted(payer: Address): Promise<void>
}

type Entry = {
  calls: number
  /** The part of it that is not in the row. */
  unsaved: number
  revertedAt: number | null
}

export function createPayerCredit(options: {
  readonly state: State
  /** How long a payer is refused after a reverted settlement that is not covered; 0: not at all. */
  readonly barMs: number
  readonly clock: () => Date
}): PayerCredit {
  const { state, barMs, clock } = options
  const entries = new Map<Address, Entry>()
  const addCalls = prepareAddCalls(state)

  function entryOf(payer: Address): Entry {
    const entry = entries.get(payer) ?? { calls: 0, unsaved: 0, revertedAt: null }
    entries.delete(payer)
    const oldest = entries.keys().next().value
    if (entries.size >= MAX_PAYERS && oldest !== undefined) entries.delete(oldest)
    entries.set(payer, entry)
    return entry
  }

  function barredUntil(revertedAt: number | null): number {
    const until = revertedAt === null ? 0 : revertedAt + barMs
    return until > clock().getTime() ? until : 0
  }

  const maxSettling = (payer: Address) => 1 + Math.floor((entries.get(payer)?.calls ?? 0) / CALLS_PER_REVERT)

  return {
    learn(payer, stored) {
      if (!entries.has(payer) && stored.calls > 0) Object.assign(entryOf(payer), stored)
    },
    maxSettling,
    isCovered: (payer) => maxSettling(payer) > 1,
    isBarred: (payer) => barredUntil(entries.get(payer)?.revertedAt ?? null) > 0,
    barredUntil,
    readBarredUntil: async (payer) => {
      const row = await state.db
        .selectFrom('payer_credit')
        .select('reverted_at')
        .where('payer', '=', payer)
        .executeTakeFirst()
      return barredUntil(row?.reverted_at ?? null)
    },
    noteSettled: async (payer) => {
      const entry = entryOf(payer)
      if (entry.calls >= MAX_CALLS) return
      entry.calls += 1
      entry.unsaved += 1
      // Seven times at most: a row for each call would cost as much as the ledger's own.
      const isDue = entry.calls >= CALLS_PER_REVERT && Number.isInteger(Math.log2(entry.calls))
      if (!isDue) return
      const { unsaved } = entry
      entry.unsaved = 0
      entry.revertedAt = null
      await addCalls({ payer, calls: unsaved, nowMs: clock().getTime() })
    },
    noteReverted: async (payer) => {
      const entry = entryOf(payer)
      const { unsaved } = entry
      entry.unsaved = 0
      const row = await subtractRevert(state, { payer, calls: unsaved, nowMs: clock().getTime() })
      entry.calls = row.calls
      entry.revertedAt = row.reverted_at
    },
  }
}

type Change = { readonly payer: Address; readonly calls: number; readonly nowMs: number }

function prepareAddCalls(state: State): (change: Change) => Promise<unknown> {
  const prepared = createPrepared(state)
  return ({ payer, calls, nowMs }) => {
    const sum = sql<number>`payer_credit.calls + ${calls}`
    const build = () =>
      state.db
        .insertInto('payer_credit')
        .values({ payer, calls, changed_at: nowMs })
        .onConflict((conflict) =>
          conflict.column('payer').doUpdateSet({
            calls: sql<number>`case when ${sum} > ${MAX_CALLS} then ${MAX_CALLS} else ${sum} end`,
            reverted_at: sql<
              number | null
            >`case when ${sum} >= ${CALLS_PER_REVERT} then null else payer_credit.reverted_at end`,
            changed_at: nowMs,
          }),
        )
    const ofUpdate = [calls, MAX_CALLS, MAX_CALLS, calls, calls, CALLS_PER_REVERT, nowMs]
    return prepared.run('add calls', [payer, calls, nowMs, ...ofUpdate], build)
  }
}

/** Several at once, also of several processes, each subtract their own. */
async function subtractRevert(state: State, { payer, calls, nowMs }: Change) {
  const sum = sql<number>`payer_credit.calls + ${calls}`
  const isCovered = calls >= CALLS_PER_REVERT
  return state.db
    .insertInto('payer_credit')
    .values({
      payer,
      calls: isCovered ? calls - CALLS_PER_REVERT : 0,
      reverted_at: isCovered ? null : nowMs,
      changed_at: nowMs,
    })
    .onConflict((conflict) =>
      conflict.column('payer').doUpdateSet({
        calls: sql<number>`case when ${sum} >= ${CALLS_PER_REVERT} then ${sum} - ${CALLS_PER_REVERT} else 0 end`,
        reverted_at: sql<
          number | null
        >`case when ${sum} >= ${CALLS_PER_REVERT} then payer_credit.reverted_at else ${nowMs} end`,
        changed_at: nowMs,
      }),
    )
    .returning(['calls', 'reverted_at'])
    .executeTakeFirstOrThrow()
}
