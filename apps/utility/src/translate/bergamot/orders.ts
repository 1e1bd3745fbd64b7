/** A model of Firefox Translations on this machine; its files are as they are published, by gzip. */
export type BergamotModel = {
  /** BCP 47 codes. */
  readonly source: string
  readonly target: string
  /** Paths of the files. */
  readonly model: string
  readonly shortlist: string
  readonly vocabulary: string
}

export type BergamotSettings = { readonly models: readonly BergamotModel[] }

export type BergamotOrder = {
  /** Indices of the models: one, or two for a translation through a third language. */
  readonly steps: readonly [number] | readonly [number, number]
  /** HTML. */
  readonly texts: readonly string[]
}

/** As many texts. */
export type BergamotResult = readonly string[]
