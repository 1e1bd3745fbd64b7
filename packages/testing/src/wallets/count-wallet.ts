import assert from 'node:assert/strict'
import type { State } from '@tollbook/utility/state/state'

/** Counts the actual bytes of a wallet's data, and compares every counter with them. */
export async function countWallet(
  state: State,
  wallet: string,
): Promise<{ readonly bytesUsed: number; readonly padBytes: number }> {
  const { db } = state
  const counted = await db.selectFrom('wallet').selectAll().where('address', '=', wallet).executeTakeFirst()
  const collections = await db.selectFrom('collection').selectAll().where('wallet', '=', wallet).execute()
  let bytesUsed = 0
  for (const collection of collections) {
    const kept = db.selectFrom('collection_row').selectAll().where('collection', '=', collection.id)
    const rows = await kept.orderBy('id').execute()
    for (const row of rows) assert.equal(row.bytes, Buffer.byteLength(row.body))
    const bytes = rows.reduce((sum, row) => sum + row.bytes, Buffer.byteLength(collection.name))
    assert.deepEqual([collection.row_count, collection.bytes], [rows.length, bytes], collection.name)
    assert.ok(collection.last_id >= (rows.at(-1)?.id ?? 0))
    bytesUsed += bytes
  }
  const pads = await db.selectFrom('pad').selectAll().where('wallet', '=', wallet).execute()
  let padBytes = 0
  for (const pad of pads) {
    const kept = db.selectFrom('pad_version').selectAll().where('pad', '=', pad.id)
    const versions = await kept.orderBy('version').execute()
    for (const version of versions) assert.equal(version.bytes, version.content.byteLength)
    const bytes = versions.reduce((sum, version) => sum + version.bytes, Buffer.byteLength(pad.name))
    assert.deepEqual([pad.bytes, pad.version], [bytes, versions.at(-1)?.version], pad.name)
    assert.ok(versions.length <= 10)
    padBytes += bytes
  }
  assert.deepEqual([counted?.bytes_used ?? 0, counted?.pad_bytes ?? 0], [bytesUsed, padBytes], wallet)
  return { bytesUsed, padBytes }
}
