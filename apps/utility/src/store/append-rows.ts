import { randomUUID } from 'node:crypto'
import { requireFree } from '@tollbook/endpoints/effect/stage-effect'
import { ProblemError } from '@tollbook/http/problem'
import type { CollectionRowTable, CollectionTable } from '../state/wallet-tables.ts'
import { changeResource, requireRoom } from '../wallet/change-resource.ts'
import { type HeldWallet, toResource, type WalletCall } from '../wallet/change-wallet.ts'
import { countRows, sumBytes, updateCollection } from './change-store.ts'
import { MAX_COLLECTIONS, TTL_AFTER_WRITE_MS } from './contract.ts'
import { findCollection } from './find-collection.ts'
import type { Fields } from './row.ts'

type Options = {
  readonly name: string
  readonly rows: readonly Fields[]
  /** The number of rows that the collection must have before, or null. */
  readonly expectedRows: number | null
}

export type Appended = {
  readonly ids: readonly number[]
  readonly totalRows: number
  readonly bytesUsed: number
  readonly expiresAtMs: number
}

/** Rows per INSERT, so that only a few different statements are prepared. */
const ROWS_PER_STATEMENT = 100

/**
 * Appends rows, all or none, to a collection, creating it if missing.
 * @throws ProblemError `quota_exceeded`, `version_conflict` if the number of rows is not the expected one,
 * `cannot_be_served` if the wallet has the maximum number of collections.
 */
export function appendRows(call: WalletCall, { name, rows, expectedRows }: Options): Promise<Appended> {
  const bodies = rows.map((row) => JSON.stringify(row))
  const lock = { kind: 'collection', name, part: null, isExclusive: false } as const
  return changeResource(call, lock, async (held) => {
    const found = await findCollection(held.transaction, { ...held, name })
    // Appends to one collection run concurrently; an append with a condition, or a new collection, is exclusive.
    const isExclusive = expectedRows !== null || found === null
    requireFree({ resource: toResource('collection', name), part: null, isExclusive }, held.pending)
    const rowsBefore = found ? countRows(held, found) : 0
    if (expectedRows !== null && expectedRows !== rowsBefore) throw new ProblemError(otherRows(rowsBefore))
    const nameBytes = found ? 0 : Buffer.byteLength(name)
    const rowBytes = bodies.reduce((sum, body) => sum + Buffer.byteLength(body), 0)
    const bytes = rowBytes + nameBytes
    const bytesUsed = sumBytes(held, bytes)
    const collection = found ?? (await newCollection(held, name, nameBytes))
    const firstId = 1 + findLastId(held, collection)
    const stored = bodies.map((body, at) =>
      toRow(held, { collection: collection.id, id: firstId + at, body }),
    )
    const ids = stored.map(({ id }) => id)
    const lastId = firstId + rows.length - 1
    const { statement, expiresAtMs } = updateCollection(held, collection, {
      rows: rows.length,
      bytes: rowBytes,
      lastId,
    })
    const inserts = toInserts(held, stored)
    const create = held.transaction.insertInto('collection').values(collection)
    return {
      result: { ids, totalRows: rowsBefore + rows.length, bytesUsed, expiresAtMs },
      change: {
        isExclusive,
        isNew: found === null,
        bytes,
        rows: rows.length,
        lastId,
        statements: found ? [statement, ...inserts] : [create, statement, ...inserts],
      },
    }
  })
}

/** The highest id of a row of the collection, including staged ones. */
function findLastId({ pending }: HeldWallet, { name, last_id }: CollectionTable): number {
  const resource = toResource('collection', name)
  const staged = pending.filter((one) => one.resource === resource).map(({ lastId }) => lastId)
  return Math.max(last_id, ...staged)
}

type NewRow = Pick<CollectionRowTable, 'collection' | 'id' | 'body'>

function toRow({ nowMs }: HeldWallet, row: NewRow): CollectionRowTable {
  return { ...row, version: 1, bytes: Buffer.byteLength(row.body), created_at: nowMs, updated_at: nowMs }
}

function toInserts({ transaction }: HeldWallet, rows: readonly CollectionRowTable[]) {
  const chunks = Array.from({ length: Math.ceil(rows.length / ROWS_PER_STATEMENT) }, (_, at) =>
    rows.slice(at * ROWS_PER_STATEMENT, (at + 1) * ROWS_PER_STATEMENT),
  )
  return chunks.map((chunk) => transaction.insertInto('collection_row').values(chunk))
}

/** A collection without rows yet; its bytes are those of the name. */
async function newCollection(held: HeldWallet, name: string, bytes: number): Promise<CollectionTable> {
  const { wallet, nowMs } = held
  await requireRoom('collection', held, MAX_COLLECTIONS)
  return {
    id: randomUUID(),
    wallet,
    name,
    row_count: 0,
    bytes,
    last_id: 0,
    created_at: nowMs,
    updated_at: nowMs,
    expires_at: nowMs + TTL_AFTER_WRITE_MS,
  }
}

function otherRows(totalRows: number) {
  const detail = `The collection has ${totalRows} rows.`
  return { code: 'version_conflict', detail, members: { total_rows: totalRows } } as const
}
