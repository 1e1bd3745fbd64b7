/** Tables of the indexer: blocks read of a chain (its genesis hash), and attempts with their payments. */
export type IndexTables = {
  readonly index_chain: IndexChainTable
  readonly index_chunk: IndexChunkTable
  readonly index_checkpoint: IndexCheckpointTable
}

/** One row per chain: how far it has been read. */
export type IndexChainTable = {
  readonly chain: string
  /** The first block that is indexed. */
  readonly first_block: number
  /** The first unread block; covered chunks reach from first_block to here without a gap. */
  readonly next_block: number
  /** Payments before this time, epoch seconds, have been read and deleted since; null if none. */
  readonly dropped_until: number | null
  /** When blocks were last rolled back or added, epoch milliseconds. */
  readonly changed_at: number
}

/** One row per attempt to write the payments of a block range into the ledger. */
export type IndexChunkTable = {
  readonly chain: string
  /** From time and random bits, so that rows of a lost state are never mistaken for newer ones. */
  readonly attempt: number
  readonly first_block: number
  /** The first block after the chunk. */
  readonly end_block: number
  /**
   * `writing`: rows may be in the ledger but are not read. `covered`: all rows are on disk and visible.
   * `retired`: replaced, rolled back or abandoned; the rows await deletion.
   */
  readonly status: 'writing' | 'covered' | 'retired'
  readonly payments: number
  /** Authorizations and proxy settlements of the chunk without a USDC transfer. */
  readonly misses: number
  /** Epoch milliseconds. */
  readonly changed_at: number
}

/** The last block of each chunk, used to detect a reorganisation. */
export type IndexCheckpointTable = {
  readonly chain: string
  readonly block: number
  readonly hash: string
}
