/** What clocks show for a while. */
export type LocalType = {
  /** Seconds ahead of UTC. */
  readonly offset: number
  /** As the tz database has it: in Dublin winter is the exception, and it is negative. */
  readonly isDst: boolean
  readonly abbreviation: string
}

export type Change = {
  /** Epoch seconds; from here on the type holds. */
  readonly seconds: number
  readonly type: LocalType
}
