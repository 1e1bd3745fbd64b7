/** A page as it is kept for searches. */
export type PageRecord = {
  /** Absolute, without a fragment. */
  readonly url: string
  /** Empty when the page has none. */
  readonly title: string
  /** A line for each paragraph. */
  readonly content: string
  readonly publishedAt: Date | null
  /** Whether the page calls itself news. */
  readonly isNews: boolean
}

/** A page that the index found. */
export type PageCandidate = {
  readonly url: string
  readonly title: string
  readonly content: string
  /** Epoch milliseconds. */
  readonly published_at: number | null
}

/** Longer texts are cut: what a page is found for stands before. About the length of a novella. */
export const MAX_CONTENT_LENGTH = 100_000
