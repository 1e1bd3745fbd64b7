import type { StreamPiece } from '@tollbook/gate/contract/answer'
import type { WalletCall } from '../wallet/change-wallet.ts'
import { toTime } from '../wallet/wallet-contract.ts'
import { extendExpiry } from './extend-expiry.ts'
import { listCollections } from './find-collection.ts'
import { toAnswerRow } from './row.ts'
import { scanRows } from './scan-rows.ts'

/**
 * Writes all data of a wallet as JSON lines: a header, each collection followed by its rows, and a final row
 * count, without which the export is incomplete. It reads as fast as its consumer; each step is one snapshot,
 * and collections are extended as by any other read.
 */
export async function* exportStore(call: WalletCall): AsyncGenerator<StreamPiece> {
  const collections = await listCollections(call)
  const rows = collections.reduce((sum, { row_count }) => sum + row_count, 0)
  const ts = call.now.toISOString()
  yield toPiece([{ type: 'store', wallet: call.wallet, collections: collections.length, rows, ts }])
  let provided = 0
  for (const collection of collections) {
    const { id, name, row_count, created_at, updated_at } = collection
    const expires_at = toTime(await extendExpiry(call, collection))
    const times = { created_at: toTime(created_at), updated_at: toTime(updated_at), expires_at }
    yield toPiece([{ type: 'collection', name, rows: row_count, ...times }])
    const steps = scanRows({ ...call, collection: id, order: 'asc', sinceMs: null, afterId: null, offset: 0 })
    for await (const step of steps) {
      yield toPiece(step.map((row) => ({ type: 'row', collection: name, row: toAnswerRow(row) })))
      provided += step.length
    }
  }
  yield toPiece([{ type: 'end', collections: collections.length, rows: provided }])
}

function toPiece(lines: readonly unknown[]): StreamPiece {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  return { bytes: new TextEncoder().encode(text), isContent: true }
}
