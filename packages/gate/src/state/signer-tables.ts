/** Tables of the wallets that send settlements. Times are epoch milliseconds. */
export type SignerTables = { readonly signer_transaction: SignerTransactionTable }

/** One per account nonce; contiguous, and the newest stays: the next nonce is the maximum plus one. */
export type SignerTransactionTable = {
  /** Chain id, start of the genesis hash and address: `8453/0x1234abcd/0x…`. */
  readonly signer: string
  readonly nonce: number
  /** `taken`: no signed transaction may exist outside the process. `approved`: `raw` may have been sent. */
  readonly state: 'taken' | 'approved'
  /** The signed transaction, resent until the nonce is used; null while taken. */
  readonly raw: string | null
  /** `payer:nonce` of each payment in `raw`, one per line; empty if it only fills the nonce. */
  readonly payments: string
  /** The owner of the row; after its lease another process may take it by compare-and-swap. */
  readonly owner: string
  readonly lease_until: number
  readonly created_at: number
}
