export type SearchQuery = {
  readonly text: string
  /** 1 to 10. */
  readonly maxResults: number
  readonly topic: 'general' | 'news'
  /** Only what was published in the last so many days; null for all times. */
  readonly days: number | null
  /** Lower case, ASCII; a domain stands for its subdomains too. */
  readonly includeDomains: readonly string[]
  readonly excludeDomains: readonly string[]
  /** From which `days` are counted. */
  readonly now: Date
}

export type SearchHit = {
  readonly title: string
  readonly url: string
  /** What of the page bears on the query. */
  readonly content: string
  /** 0 to 1; only hits of one search can be compared. */
  readonly score: number
  /** ISO 8601. */
  readonly publishedDate: string | null
  readonly favicon: string | null
}

export type SearchFound = {
  readonly provider: 'searxng' | 'tavily' | 'index'
  /** The best first, at most as many as were asked for. */
  readonly hits: readonly SearchHit[]
}

/** Where searches are answered: an upstream, or the pages that this operator keeps. */
export interface SearchBackend {
  /** Whether there is anything to search; known without waiting. */
  isReady(): boolean
  /** For how long it is left alone because it failed, known without waiting; 0 or absent while it is not. */
  pauseSeconds?(): number
  /** @throws ProblemError that tells a caller why not; none is charged. */
  search(query: SearchQuery, signal: AbortSignal): Promise<SearchFound>
}

const DAY_MS = 86_400_000

/** The earliest publication that is wanted, epoch milliseconds; null for all times. */
export function earliestOf({ days, now }: Pick<SearchQuery, 'days' | 'now'>): number | null {
  return days === null ? null : now.getTime() - days * DAY_MS
}

/** Whether a URL's host is one of the domains or below one. */
export function isWithin(url: string, domains: readonly string[]): boolean {
  const host = URL.parse(url)?.hostname.replace(/\.$/, '') ?? ''
  return domains.some((domain) => host === domain || host.endsWith(`.${domain}`))
}
