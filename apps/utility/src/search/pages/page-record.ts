/** A page as it is stored for searches. */
export type PageRecord = {
  /** Absolute, without a fragment. */
  readonly url: string
  /** Empty if the page has none. */
  readonly title: string
  /** One line per paragraph. */
  readonly content: string
  readonly publishedAt: Date | null
  /** Whether the page declares itself as news. */
  readonly isNews: boolean
}

/** A search hit of the index. */
export type PageCandidate = {
  readonly url: string
  readonly title: string
  readonly content: string
  /** Epoch milliseconds. */
  readonly published_at: number | null
}

/** Longer texts are truncated: the relevant text is usually before. About the length of a novella. */
export const MAX_CONTENT_LENGTH = 100_000
