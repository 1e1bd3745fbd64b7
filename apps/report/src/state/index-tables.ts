/** Tables of the indexer: blocks read of a chain (its genesis hash), and attempts with their payments. */
export type IndexTables = {
  /** One row per chain: how far it has been read. */
  readonly index_chain: {
    readonly chain: string
    readonly first_block: number
    /** The first unread block; covered chunks reach from first_block to here without a gap. */
    readonly next_block: number
    /** Payments before this time, epoch seconds, have been read and deleted since; null if none. */
    readonly dropped_until: number | null
    /** When blocks were last rolled back or added, epoch milliseconds. */
    readonly changed_at: number
  }
  /** One row per attempt to write the payments of a block range into the ledger. */
  readonly index_chunk: {
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
  readonly index_checkpoint: {
    readonly chain: string
    readonly block: number
    readonly hash: string
  }
}

/** The USDC transfers read into the ledger; `chain` is the hash of the chain's genesis block. */
export type TransferTables = {
  /** One row per wallet and block range that has been read completely; ranges of a wallet never overlap. */
  readonly transfer_span: {
    readonly chain: string
    /** Out of the wallet, or into it. */
    readonly direction: Direction
    readonly wallet: string
    readonly first_block: number
    /** The first block after the range. */
    readonly end_block: number
  }
  /** One row per attempt to write transfers of a block range into the ledger. */
  readonly transfer_chunk: {
    readonly chain: string
    readonly attempt: number
    readonly direction: Direction
    readonly first_block: number
    /** The first block after the chunk; no chunk crosses a boundary of 8,192 blocks. */
    readonly end_block: number
    /** As in index_chunk: only rows of covered attempts are visible. */
    readonly status: 'writing' | 'covered' | 'retired'
    readonly transfers: number
    /** Epoch milliseconds. */
    readonly changed_at: number
  }
}

type Direction = 'out' | 'in'
