import { changeResource } from '../wallet/change-resource.ts'
import type { WalletCall } from '../wallet/change-wallet.ts'
import { sumBytes } from './change-store.ts'
import { requireCollection } from './find-collection.ts'

/** Deletes a collection with all its rows. @throws ProblemError `not_found`. */
export function deleteCollection(call: WalletCall, name: string) {
  return changeResource(call, { kind: 'collection', name, part: null, isExclusive: true }, async (held) => {
    const { id, row_count, bytes } = await requireCollection(held.transaction, { ...held, name })
    const deletion = held.transaction.deleteFrom('collection').where('id', '=', id)
    return {
      result: { deletedRows: row_count, bytesUsed: sumBytes(held, -bytes) },
      change: { isNew: false, bytes: -bytes, rows: -row_count, lastId: 0, statements: [deletion] },
    }
  })
}
