/** A local time type: UTC offset, DST flag and abbreviation (RFC 9636). */
export type LocalType = {
  /** Seconds ahead of UTC. */
  readonly offset: number
  /** As in the tz database, where Dublin's winter time counts as DST with a negative saving. */
  readonly isDst: boolean
  readonly abbreviation: string
}

export type Change = {
  /** Epoch seconds; the type applies from here on. */
  readonly seconds: number
  readonly type: LocalType
}
