/** Tables of wallets' scratchpads. Times are epoch milliseconds. */
export type ScratchpadTables = {
  readonly pad: PadTable
  readonly pad_version: PadVersionTable
}

export type PadTable = {
  readonly id: string
  readonly wallet: string
  readonly name: string
  /** 1 for the first write, incremented with each further one. */
  readonly version: number
  /** UTF-8 bytes of the name and of all stored versions. */
  readonly bytes: number
  /** From this moment the pad is unavailable, whether or not it has been deleted. */
  readonly expires_at: number
}

export type PadVersionTable = {
  /** `pad.id`. */
  readonly pad: string
  readonly version: number
  readonly kind: 'text' | 'json'
  /** Of `content`. */
  readonly bytes: number
  readonly made_at: number
  /** The text, or JSON, in UTF-8; bytes, because a text column of PostgreSQL cannot contain NUL. */
  readonly content: Uint8Array
}
