/** The location of an IP address by a data set. */
export type AddressPlace = {
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null
  readonly countryName: string | null
  readonly region: string | null
  readonly city: string | null
  readonly postal: string | null
  /** Degrees. */
  readonly lat: number | null
  readonly lon: number | null
  /** IANA name. */
  readonly timezone: string | null
  /** The finest precision of the data set; no location of an address is exact. */
  readonly accuracy: 'city-approximate' | 'region-approximate' | 'country'
  /** The data set and its build date. */
  readonly source: string
  readonly sourceDate: string | null
  /** Attribution that the licences require wherever the answer is shown. */
  readonly attribution: string
}

/** Finds the location of an IP address; null if no data set has it. */
export type LocateAddress = (address: string, signal: AbortSignal) => Promise<AddressPlace | null>
