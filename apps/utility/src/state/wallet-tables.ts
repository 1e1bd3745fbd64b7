import type { Generated } from 'kysely'

/** Tables of wallets' stored data. Times are epoch milliseconds. */
export type WalletTables = {
  /** The quota counters; their row guards every write of the wallet. */
  readonly wallet: {
    /** Lower case. */
    readonly address: string
    /** Sum of `bytes` over the wallet's collections. */
    readonly bytes_used: number
    /** Sum of `bytes` over the wallet's pads. */
    readonly pad_bytes: Generated<number>
  }
  readonly collection: CollectionTable
  readonly collection_row: CollectionRowTable
}

export type CollectionTable = {
  readonly id: string
  readonly wallet: string
  readonly name: string
  readonly row_count: number
  /** UTF-8 bytes of the name and of all row bodies. */
  readonly bytes: number
  /** The id of the newest row; never reused. */
  readonly last_id: number
  readonly created_at: number
  readonly updated_at: number
  /** From this moment the collection is unavailable, whether or not its rows have been deleted. */
  readonly expires_at: number
}

export type CollectionRowTable = {
  /** `collection.id`. */
  readonly collection: string
  /** From 1 in order of insertion. */
  readonly id: number
  /** 1 for a new row, incremented with each change. */
  readonly version: number
  /** UTF-8 bytes of `body`. */
  readonly bytes: number
  readonly created_at: number
  readonly updated_at: number
  /** The row's own fields as a JSON object. */
  readonly body: string
}
