/** Where an IP address is, as far as a data set knows. */
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
  /** What the data set tells at its finest; no place of an address is exact. */
  readonly accuracy: 'city-approximate' | 'region-approximate' | 'country'
  /** The data set and the day on which it was made. */
  readonly source: string
  readonly sourceDate: string | null
  /** What the licences ask to be said wherever the answer is shown. */
  readonly attribution: string
}

/** Finds where an IP address is; null when no data set knows it. */
export type LocateAddress = (address: string, signal: AbortSignal) => Promise<AddressPlace | null>
