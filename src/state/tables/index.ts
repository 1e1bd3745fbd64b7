/**
 * Tables of the indexer: which blocks of a chain were read, and under which attempt their payments stand in the
 * ledger; created by ../migrations/0005-index.ts and 0012-ledger-retention.ts. `chain` is the hash of the chain's genesis block.
 */
export type IndexTables = {
  readonly index_chain: IndexChainTable
  readonly index_chunk: IndexChunkTable
  readonly index_checkpoint: IndexCheckpointTable
}

/** One row a chain: how far it was read. */
export type IndexChainTable = {
  readonly chain: string
  /** The first block that is indexed. */
  readonly first_block: number
  /** The first block that was not read yet; covered chunks reach from first_block to here without a hole. */
  readonly next_block: number
  /** Payments before this time, epoch seconds, were read and let go of since; null when none were. */
  readonly dropped_until: number | null
  /** When blocks were last rolled back or added, epoch milliseconds. */
  readonly changed_at: number
}

/** One row an attempt to write the payments of a range of blocks into the ledger. */
export type IndexChunkTable = {
  readonly chain: string
  /** Made of the time and chance, so that rows of a lost or older state are never taken for newer ones. */
  readonly attempt: number
  readonly first_block: number
  /** The first block after the chunk. */
  readonly end_block: number
  /**
   * `writing`: rows may stand in the ledger, nobody reads them. `covered`: all rows are on disk and are read.
   * `retired`: replaced, rolled back or given up; the rows await deletion.
   */
  readonly status: 'writing' | 'covered' | 'retired'
  readonly payments: number
  /** Authorizations and proxy settlements of the chunk without a transfer of USDC. */
  readonly misses: number
  /** Epoch milliseconds. */
  readonly changed_at: number
}

/** The last block of each chunk, by which a reorganisation is noticed. */
export type IndexCheckpointTable = {
  readonly chain: string
  readonly block: number
  readonly hash: string
}
