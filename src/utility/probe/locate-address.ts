/** Where an IP address is, as far as is known. */
export type ServerLocation = {
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null
  readonly region: string | null
  readonly city: string | null
  /** Degrees. */
  readonly lat: number | null
  readonly lon: number | null
}

/** Finds where an IP address is; null when it is in no data set. */
export type LocateAddress = (address: string) => Promise<ServerLocation | null>
