/** Tables of what wallets keep in scratchpads; created by ../migrations/0015-scratchpad.ts. Times are epoch milliseconds. */
export type ScratchpadTables = {
  readonly pad: PadTable
  readonly pad_version: PadVersionTable
}

export type PadTable = {
  readonly id: string
  readonly wallet: string
  readonly name: string
  /** 1 for the first write, one more with each further. */
  readonly version: number
  /** UTF-8 bytes of the name and of all versions that are kept. */
  readonly bytes: number
  /** From this moment on the pad is gone, whether or not it is deleted yet. */
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
  /** The text, or JSON, in UTF-8; bytes, since a text column of PostgreSQL takes no NUL. */
  readonly content: Uint8Array
}
