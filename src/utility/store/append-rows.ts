import { randomUUID } from 'node:crypto'
import { ProblemError } from '../../catalogue/problem.ts'
import type { CollectionTable } from '../../state/tables/wallet.ts'
import type { HeldWallet, WalletCall } from '../wallet/change-wallet.ts'
import { changeStore, countBytes, updateCollection } from './change-store.ts'
import { findCollection } from './find-collection.ts'
import { KEPT_AFTER_WRITE_MS, MOST_COLLECTIONS } from './limits.ts'
import type { Fields } from './row.ts'

type Options = {
  readonly name: string
  readonly rows: readonly Fields[]
  /** The rows that the collection must have before, or null. */
  readonly expectedRows: number | null
}

export type Appended = {
  readonly ids: readonly number[]
  readonly totalRows: number
  readonly bytesUsed: number
  readonly expiresAtMs: number
}

/** Rows of one INSERT, so that few different statements are ever prepared. */
const ROWS_PER_STATEMENT = 100

/**
 * Appends rows, all or none, to a collection that is made when absent.
 * @throws ProblemError `quota_exceeded`, `version_conflict` when the number of rows is not the expected one,
 *   `cannot_be_served` when the wallet has as many collections as it may.
 */
export function appendRows(call: WalletCall, { name, rows, expectedRows }: Options): Promise<Appended> {
  const bodies = rows.map((row) => JSON.stringify(row))
  const bytesOf = bodies.map((body) => Buffer.byteLength(body))
  const rowBytes = bytesOf.reduce((sum, bytes) => sum + bytes, 0)
  return changeStore(call, async (held) => {
    const existing = await findCollection(held.transaction, { ...held, name })
    const rowsBefore = existing?.row_count ?? 0
    if (expectedRows !== null && expectedRows !== rowsBefore) throw new ProblemError(otherRows(rowsBefore))
    const nameBytes = existing ? 0 : Buffer.byteLength(name)
    const bytesUsed = await countBytes(held, rowBytes + nameBytes)
    const collection = existing ?? (await createCollection(held, name, nameBytes))
    const ids = bodies.map((_, at) => collection.last_id + 1 + at)
    const stored = bodies.map((body, at) => ({
      collection: collection.id,
      id: collection.last_id + 1 + at,
      version: 1,
      bytes: bytesOf[at] ?? 0,
      created_at: held.nowMs,
      updated_at: held.nowMs,
      body,
    }))
    const totalRows = rowsBefore + rows.length
    const expiresAtMs = await updateCollection(held, collection, {
      row_count: totalRows,
      bytes: collection.bytes + rowBytes,
      last_id: collection.last_id + rows.length,
    })
    for (let at = 0; at < stored.length; at += ROWS_PER_STATEMENT) {
      const chunk = stored.slice(at, at + ROWS_PER_STATEMENT)
      await held.transaction.insertInto('collection_row').values(chunk).execute()
    }
    return { ids, totalRows, bytesUsed, expiresAtMs }
  })
}

async function createCollection(held: HeldWallet, name: string, bytes: number): Promise<CollectionTable> {
  const { transaction, wallet, nowMs } = held
  const { count } = await transaction
    .selectFrom('collection')
    .select((query) => query.fn.countAll<number>().as('count'))
    .where('wallet', '=', wallet)
    .executeTakeFirstOrThrow()
  if (count >= MOST_COLLECTIONS) {
    const detail = `The wallet has ${count} collections, as many as it may; delete one first.`
    throw new ProblemError({ code: 'cannot_be_served', detail })
  }
  const created: CollectionTable = {
    id: randomUUID(),
    wallet,
    name,
    row_count: 0,
    bytes,
    last_id: 0,
    created_at: nowMs,
    updated_at: nowMs,
    expires_at: nowMs + KEPT_AFTER_WRITE_MS,
  }
  await transaction.insertInto('collection').values(created).execute()
  return created
}

function otherRows(totalRows: number) {
  const detail = `The collection has ${totalRows} rows.`
  return { code: 'version_conflict', detail, members: { total_rows: totalRows } } as const
}
