/** The USDC transfers read into the ledger; `chain` is the hash of the chain's genesis block. */
export type TransferTables = {
  readonly transfer_span: TransferSpanTable
  readonly transfer_chunk: TransferChunkTable
}

type Direction = 'out' | 'in'

/** One row per wallet and block range that has been read completely; ranges of a wallet never overlap. */
export type TransferSpanTable = {
  readonly chain: string
  /** Out of the wallet, or into it. */
  readonly direction: Direction
  readonly wallet: string
  readonly first_block: number
  /** The first block after the range. */
  readonly end_block: number
}

/** One row per attempt to write transfers of a block range into the ledger. */
export type TransferChunkTable = {
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
