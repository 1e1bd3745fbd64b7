import { ProblemError } from '@tollbook/http/problem'
import type { CollectionTable } from '../state/wallet-tables.ts'
import type { WalletCall } from '../wallet/change-wallet.ts'
import { noSuchRow } from './change-row.ts'
import { MAX_PAGE_BYTES } from './contract.ts'
import { extendExpiry } from './extend-expiry.ts'
import { requireCollection } from './find-collection.ts'
import { type AnswerRow, parseFields, type Row, toAnswerRow } from './row.ts'
import { type Order, scanRows, toCursor } from './scan-rows.ts'
import { type Condition, matches } from './where.ts'

type Query = {
  readonly name: string
  readonly order: Order
  readonly limit: number
  readonly offset: number
  readonly afterId: number | null
  readonly sinceMs: number | null
  readonly conditions: readonly Condition[]
}

export type Page = {
  readonly totalRows: number
  /** Rows of the collection that match the query, on all pages. */
  readonly matched: number
  readonly rows: readonly AnswerRow[]
  readonly nextCursor: string | null
  readonly expiresAtMs: number
}

/**
 * Reads a page of a collection, and extends the collection's expiry. A page ends early at `MAX_PAGE_BYTES`.
 * @throws ProblemError `not_found`.
 */
export async function queryRows(call: WalletCall, query: Query): Promise<Page> {
  const collection = await requireCollection(call.state.db, { ...call, ...query, nowMs: call.now.getTime() })
  const found =
    query.conditions.length > 0
      ? await filterRows(call, query, collection)
      : await readPage(call, query, collection)
  const expiresAtMs = await extendExpiry(call, collection)
  return { totalRows: collection.row_count, ...found, expiresAtMs }
}

/** Reads one row, and extends its collection's expiry. @throws ProblemError `not_found`. */
export async function readRow(call: WalletCall, name: string, id: number) {
  const collection = await requireCollection(call.state.db, { ...call, name, nowMs: call.now.getTime() })
  const row = await call.state.db
    .selectFrom('collection_row')
    .select(['id', 'version', 'created_at', 'updated_at', 'body'])
    .where('collection', '=', collection.id)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) throw new ProblemError(noSuchRow(name, id))
  return { row, expiresAtMs: await extendExpiry(call, collection) }
}

type Found = Pick<Page, 'matched' | 'rows' | 'nextCursor'>

/** Without conditions the database counts, and only the page is read. */
async function readPage(call: WalletCall, query: Query, collection: CollectionTable): Promise<Found> {
  const page = new PageBuilder(query)
  const steps = scanRows({ ...call, ...query, collection: collection.id })
  for await (const rows of steps) if (rows.some((row) => !page.add(row))) break
  const matched =
    query.sinceMs === null ? collection.row_count : await countSince(call, collection, query.sinceMs)
  return { matched, rows: page.rows, nextCursor: page.nextCursor }
}

/** With conditions every row is read and tested, since `matched` counts them all. */
async function filterRows(call: WalletCall, query: Query, collection: CollectionTable): Promise<Found> {
  const { order, afterId, conditions } = query
  const page = new PageBuilder(query)
  let matched = 0
  let toSkip = query.offset
  for await (const rows of scanRows({
    ...call,
    ...query,
    collection: collection.id,
    afterId: null,
    offset: 0,
  }))
    for (const row of rows) {
      const fields = parseFields(row.body)
      // The store's own fields are queried like the owner's.
      if (!matches(toAnswerRow(row, fields), conditions)) continue
      matched++
      const isAfter = afterId === null || (order === 'asc' ? row.id > afterId : row.id < afterId)
      if (isAfter && toSkip-- <= 0) page.add(row)
    }
  return { matched, rows: page.rows, nextCursor: page.nextCursor }
}

/** Collects rows until the page is full, and reports whether any remained. */
class PageBuilder {
  readonly rows: AnswerRow[] = []
  readonly #query: Query
  #bytes = 0
  #lastId = 0
  nextCursor: string | null = null

  constructor(query: Query) {
    this.#query = query
  }

  /** Whether the row fitted. */
  add(row: Row): boolean {
    if (this.nextCursor !== null) return false
    this.#bytes += Buffer.byteLength(row.body)
    const isFull = this.rows.length === this.#query.limit || this.#bytes > MAX_PAGE_BYTES
    if (isFull && this.rows.length > 0) {
      this.nextCursor = toCursor(this.#query.order, this.#lastId)
      return false
    }
    this.rows.push(toAnswerRow(row))
    this.#lastId = row.id
    return true
  }
}

async function countSince(
  { state }: WalletCall,
  collection: CollectionTable,
  sinceMs: number,
): Promise<number> {
  const { count } = await state.db
    .selectFrom('collection_row')
    .select((query) => query.fn.countAll<number>().as('count'))
    .where('collection', '=', collection.id)
    .where('created_at', '>=', sinceMs)
    .executeTakeFirstOrThrow()
  return count
}
