import { randomInt } from 'node:crypto'
import type { Hex } from '@tollbook/chain/hex'
import { RetryableError } from '@tollbook/flow/failure'
import { isUniqueConflict } from '@tollbook/store/conflict'
import type { BlockRange } from '@tollbook/verify/chain/pieces'
import { sql, type Transaction } from 'kysely'
import type { State } from '../state/state.ts'
import type { Tables } from '../state/tables.ts'
import type { LedgerTable } from './engine/table.ts'
import type { Ledger } from './ledger.ts'

const ATTEMPTS_PER_SECOND = 2 ** 21
/** A query takes seconds, and reads only attempts that were covered when it began. */
const MAX_READ_MS = 15 * 60_000
const ATTEMPTS_AT_ONCE = 1_000

export type ChainOf = { readonly state: State; readonly chain: Hex }
export type Change = { readonly chain: Hex; readonly now: Date }
export type Housekeeping = ChainOf & { readonly ledger: Ledger; readonly now: Date }

/** A chunk whose rows count. */
export type CoveredChunk = BlockRange & {
  readonly attempt: number
  /** How many rows it has in the ledger. */
  readonly rows: number
}

type Counter = 'payments' | 'misses' | 'transfers'
type Counts = Readonly<Partial<Record<Counter, number>>>
type JournalOptions = {
  readonly table: 'index_chunk' | 'transfer_chunk'
  /** Columns that a merge adds up; the first one counts the rows in the ledger. */
  readonly counters: readonly [rows: Counter, ...others: Counter[]]
  readonly rowsIn: (ledger: Ledger) => Pick<LedgerTable<never>, 'table' | 'merge' | 'remove'>
}

/**
 * Chunks of blocks whose rows are in one table of the ledger: `writing` until the rows are on disk,
 * `covered` while they count, `retired` until they are deleted. @template Label further columns of a chunk
 */
export class ChunkJournal<Label extends object> {
  readonly #table: JournalOptions['table']
  readonly #counters: JournalOptions['counters']
  readonly #rowsIn: JournalOptions['rowsIn']

  constructor({ table, counters, rowsIn }: JournalOptions) {
    this.#table = table
    this.#counters = counters
    this.#rowsIn = rowsIn
  }

  /** Reserves a unique attempt number before anything is written under it. */
  async begin({ state, chain }: ChainOf, range: BlockRange, label: Label, now: Date): Promise<number> {
    const attempt = drawAttempt(now)
    try {
      await state.db
        .insertInto(this.#table)
        .values({
          ...this.#countEach(() => 0),
          ...label,
          chain,
          attempt,
          first_block: range.firstBlock,
          end_block: range.endBlock,
          status: 'writing',
          changed_at: now.getTime(),
        })
        .execute()
      return attempt
    } catch (error) {
      if (isUniqueConflict(error)) return this.begin({ state, chain }, range, label, now)
      throw error
    }
  }

  /** Makes rows on disk count. @throws RetryableError when the attempt was given up; they stay invisible. */
  async cover(
    transaction: Transaction<Tables>,
    { chain, now }: Change,
    { attempt, ...counts }: Counts & { readonly attempt: number },
  ): Promise<void> {
    const covered = await transaction
      .updateTable(this.#table)
      .set({ ...counts, status: 'covered', changed_at: now.getTime() })
      .where('chain', '=', chain)
      .where('attempt', '=', attempt)
      .where('status', '=', 'writing')
      .returning('attempt')
      .execute()
    if (covered.length === 0) throw new RetryableError('another indexer has given up this attempt')
  }

  /** The covered chunks, by their blocks; with a label only those that have it. */
  covered({ state, chain }: ChainOf, label?: Label): Promise<CoveredChunk[]> {
    return state.db
      .selectFrom(this.#table)
      .select(['attempt', 'first_block as firstBlock', 'end_block as endBlock'])
      .select(sql.ref<number>(this.#counters[0]).as('rows'))
      .where('chain', '=', chain)
      .where('status', '=', 'covered')
      .where(({ and, eb }) =>
        and(Object.entries(label ?? {}).map(([column, value]) => eb(sql.ref(column), '=', value))),
      )
      .orderBy('first_block')
      .execute()
  }

  /** Retires the covered chunks that end after a block, or not after it. @returns the first block of each. */
  async retire(
    transaction: Transaction<Tables>,
    { chain, now }: Change,
    { ends, block }: { readonly ends: '>' | '<='; readonly block: number },
  ): Promise<readonly number[]> {
    const retired = await this.#retire(transaction, { chain, now })
      .where('status', '=', 'covered')
      .where('end_block', ends, block)
      .returning('first_block')
      .execute()
    return retired.map((chunk) => chunk.first_block)
  }

  /** Gives up the attempts of an ended process: its rows were never visible, and are deleted later. */
  async giveUp({ state, chain, now }: Omit<Housekeeping, 'ledger'>): Promise<void> {
    await this.#retire(state.db, { chain, now }).where('status', '=', 'writing').execute()
  }

  /** The first block with missing or duplicate rows, as after a lost folder; null without any. */
  async findDamage(housekeeping: Housekeeping, signal: AbortSignal): Promise<number | null> {
    const { ledger } = housekeeping
    const { table } = this.#rowsIn(ledger)
    const stored = await ledger.rows(`SELECT attempt, count() FROM ${table} GROUP BY attempt`, signal)
    const rowsOf = new Map(stored.map(([attempt, count]) => [Number(attempt), Number(count)]))
    const chunks = await this.covered(housekeeping)
    return chunks.find(({ attempt, rows }) => (rowsOf.get(attempt) ?? 0) !== rows)?.firstBlock ?? null
  }

  /** Merges the rows of chunks, with `within` in one transaction. @throws RetryableError on a rollback. */
  async merge(
    { state, chain, ledger, now }: Housekeeping,
    { chunks, label }: { readonly chunks: readonly CoveredChunk[]; readonly label: Label },
    signal: AbortSignal,
    within?: (transaction: Transaction<Tables>, range: BlockRange) => Promise<unknown>,
  ): Promise<void> {
    const range = {
      firstBlock: Math.min(...chunks.map((chunk) => chunk.firstBlock)),
      endBlock: Math.max(...chunks.map((chunk) => chunk.endBlock)),
    }
    const from = chunks.map((chunk) => chunk.attempt)
    const attempt = await this.begin({ state, chain }, range, label, now)
    await this.#rowsIn(ledger).merge(attempt, from, signal)
    await state.db.transaction().execute(async (transaction) => {
      await lockChain(transaction, chain)
      const merged = await this.#retire(transaction, { chain, now })
        .where('status', '=', 'covered')
        .where('attempt', 'in', from)
        .returning(this.#counters.map((counter) => sql.ref<number>(counter).as(counter)))
        .execute()
      if (merged.length !== from.length)
        throw new RetryableError('chunks were rolled back during their merge')
      const counts = this.#countEach((counter) => merged.reduce((sum, chunk) => sum + chunk[counter], 0))
      await this.cover(transaction, { chain, now }, { ...counts, attempt })
      await within?.(transaction, range)
    })
  }

  /**
   * Deletes rows that no query can be reading any more. @param before runs first when there are any;
   * receives the attempts whose rows may still be used. @returns how many attempts were deleted.
   */
  async removeRetired(
    { state, chain, ledger, now }: Housekeeping,
    signal: AbortSignal,
    before?: (inUse: ReadonlySet<number>) => Promise<void>,
  ): Promise<number> {
    const oldestReadMs = now.getTime() - MAX_READ_MS
    const chunks = state.db.selectFrom(this.#table).select('attempt').where('chain', '=', chain)
    const removable = await chunks
      .where('status', '=', 'retired')
      .where('changed_at', '<', oldestReadMs)
      .limit(ATTEMPTS_AT_ONCE)
      .execute()
    if (removable.length === 0) return 0
    if (before) {
      const used = await chunks
        .where((where) =>
          where.or([where('status', '!=', 'retired'), where('changed_at', '>=', oldestReadMs)]),
        )
        .execute()
      await before(new Set(used.map(({ attempt }) => attempt)))
    }
    const attempts = removable.map(({ attempt }) => attempt)
    await this.#rowsIn(ledger).remove(attempts, signal)
    await state.db
      .deleteFrom(this.#table)
      .where('chain', '=', chain)
      .where('status', '=', 'retired')
      .where('attempt', 'in', attempts)
      .execute()
    return attempts.length
  }

  #retire(db: State['db'], { chain, now }: Change) {
    return db
      .updateTable(this.#table)
      .set({ status: 'retired', changed_at: now.getTime() })
      .where('chain', '=', chain)
  }

  #countEach(count: (counter: Counter) => number): Counts {
    return Object.fromEntries(this.#counters.map((counter) => [counter, count(counter)]))
  }
}

export const PAYMENT_CHUNKS = new ChunkJournal<Record<string, never>>({
  table: 'index_chunk',
  counters: ['payments', 'misses'],
  rowsIn: (ledger) => ledger,
})
export const TRANSFER_CHUNKS = new ChunkJournal<{ readonly direction: 'in' | 'out' }>({
  table: 'transfer_chunk',
  counters: ['transfers'],
  rowsIn: (ledger) => ledger.transfers,
})

/** Locks the coverage of a chain against concurrent changes. */
export async function lockChain(transaction: Transaction<Tables>, chain: Hex): Promise<void> {
  await transaction
    .updateTable('index_chain')
    .set(({ ref }) => ({ changed_at: ref('changed_at') }))
    .where('chain', '=', chain)
    .execute()
}

/** Seconds and a random number: below 2^53 until 2106, and unlike a counter never repeated after a loss. */
function drawAttempt(now: Date): number {
  return Math.floor(now.getTime() / 1000) * ATTEMPTS_PER_SECOND + randomInt(ATTEMPTS_PER_SECOND)
}
