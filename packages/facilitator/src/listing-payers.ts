import type { Address } from '@tollbook/chain/hex'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { Settled } from '@tollbook/endpoints/discovery/settled-listing'
import { startTicker } from '@tollbook/flow/ticker'
import { type Selectable, sql } from 'kysely'
import type { State } from './state/state.ts'
import type { Tables } from './state/tables.ts'

/** How far what other processes settled may lag, and what is lost with this one. */
const SAVE_MS = 1_000
/** A payer that has not paid for this long is forgotten, as in the newest window of reports. */
const FORGET_MS = 7 * 24 * 60 * 60_000
/** A busy facilitator would otherwise build its catalogue all the time. */
const VERSION_MS = 60_000
/** Rows of one statement; SQLite binds at most 32,766 values. */
const ROWS_A_STATEMENT = 1_000

export type ListingSale = {
  readonly payTo: Address
  readonly host: string
  readonly payer: Address
  readonly amount: AtomicUsdc
}

type RankedRow = Selectable<Tables['facilitator_listing']> & { readonly settled: Settled }

/** What each payer paid for the listings of a payee under a host, over all processes. */
export type ListingPayers = {
  note(sale: ListingSale): void
  /** The listings with the most settled dollars, at most `max`. */
  readRanked(max: number): Promise<readonly RankedRow[]>
  /** Changes with them, at most once a minute. */
  version(): Promise<string>
  close(): Promise<void>
}

export function createListingPayers(options: {
  readonly state: State
  readonly clock: () => Date
  readonly onError: (error: unknown) => void
}): ListingPayers {
  const { state, clock, onError } = options
  let unsaved = new Map<string, ListingSale>()

  function note(sale: ListingSale): void {
    const key = JSON.stringify([sale.payTo, sale.host, sale.payer])
    const amount = sale.amount + (unsaved.get(key)?.amount ?? 0n)
    unsaved.set(key, { ...sale, amount })
  }

  let saved: Promise<void> = Promise.resolve()

  /** Ends once all sales noted so far are written, those that an earlier call is still writing included. */
  function save(): Promise<void> {
    saved = saved.catch(() => {}).then(saveUnsaved)
    return saved
  }

  async function saveUnsaved(): Promise<void> {
    if (unsaved.size === 0) return
    const saving = [...unsaved.values()]
    unsaved = new Map()
    const nowMs = clock().getTime()
    while (saving.length > 0) {
      const rows = saving.slice(0, ROWS_A_STATEMENT).map(({ payTo, host, payer, amount }) => ({
        pay_to: payTo,
        host,
        payer,
        amount: Number(amount),
        paid_at: nowMs,
      }))
      try {
        await state.db
          .insertInto('listing_payer')
          .values(rows)
          .onConflict((conflict) =>
            conflict
              .columns(['pay_to', 'host', 'payer'])
              .doUpdateSet({ amount: sql<number>`listing_payer.amount + excluded.amount`, paid_at: nowMs }),
          )
          .execute()
      } catch (error) {
        for (const sale of saving) note(sale)
        throw error
      }
      saving.splice(0, ROWS_A_STATEMENT)
    }
    await state.db
      .deleteFrom('listing_payer')
      .where('paid_at', '<', nowMs - FORGET_MS)
      .execute()
  }

  const saver = startTicker({ work: save, everyMs: SAVE_MS, onError })
  return {
    note,
    async readRanked(max) {
      await save()
      return selectRanked(state, clock().getTime() - FORGET_MS, max)
    },
    async version() {
      const { at } = await state.db
        .selectFrom('listing_payer')
        .select(({ fn }) => fn.max('paid_at').as('at'))
        .executeTakeFirstOrThrow()
      return String(Math.floor((at ?? 0) / VERSION_MS))
    },
    async close() {
      await saver.stop()
      await save().catch(onError)
    },
  }
}

async function selectRanked(state: State, paidSinceMs: number, max: number): Promise<readonly RankedRow[]> {
  const rows = await state.db
    .with('settled', (db) =>
      db
        .selectFrom('listing_payer')
        .select(({ fn }) => ['pay_to', 'host', fn.sum('amount').as('paid'), fn.max('amount').as('largest')])
        .where('paid_at', '>=', paidSinceMs)
        .groupBy(['pay_to', 'host']),
    )
    .selectFrom('facilitator_listing as listing')
    .leftJoin('settled', (join) =>
      join.onRef('settled.pay_to', '=', 'listing.pay_to').onRef('settled.host', '=', 'listing.host'),
    )
    .selectAll('listing')
    .select(['paid', 'largest'])
    .orderBy(sql`coalesce(paid - largest, 0)`, 'desc')
    .orderBy(sql`coalesce(paid, 0)`, 'desc')
    .orderBy('last_seen', 'desc')
    .limit(max)
    .execute()
  return rows.map(({ paid, largest, ...row }) => {
    const ofAll = BigInt(paid ?? 0)
    return { ...row, settled: { ofAll, ofOthers: ofAll - BigInt(largest ?? 0) } }
  })
}
