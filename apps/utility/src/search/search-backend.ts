export type SearchQuery = {
  readonly text: string
  /** 1 to 10. */
  readonly maxResults: number
  readonly topic: 'general' | 'news'
  /** Only pages published in the last this many days; null for any time. */
  readonly days: number | null
  /** Lower case, ASCII; a domain includes its subdomains. */
  readonly includeDomains: readonly string[]
  readonly excludeDomains: readonly string[]
  /** The time from which `days` are counted. */
  readonly now: Date
}

export type SearchHit = {
  readonly title: string
  readonly url: string
  /** The passage of the page that is relevant to the query. */
  readonly content: string
  /** 0 to 1; only comparable among hits of one search. */
  readonly score: number
  /** ISO 8601. */
  readonly publishedDate: string | null
  readonly favicon: string | null
}

export type SearchFound = {
  readonly provider: 'searxng' | 'tavily' | 'mediawiki' | 'index'
  /** Best first, at most the requested number. */
  readonly hits: readonly SearchHit[]
}

/** A source of search results: an upstream, or the pages stored by this operator. */
export interface SearchBackend {
  /** Whether there is anything to search; answers without waiting. */
  isReady(): boolean
  /** How long its circuit breaker stays open after failures, ms, without waiting; 0 or absent while it is closed. */
  pauseSeconds?(): number
  /** @throws ProblemError with a reason for the caller; none is charged. */
  search(query: SearchQuery, signal: AbortSignal): Promise<SearchFound>
}

const DAY_MS = 86_400_000

/** The earliest publication time, epoch milliseconds; null for any time. */
export function earliestOf({ days, now }: Pick<SearchQuery, 'days' | 'now'>): number | null {
  return days === null ? null : now.getTime() - days * DAY_MS
}

/** Whether a URL's host is one of the domains or a subdomain of one. */
export function isWithin(url: string, domains: readonly string[]): boolean {
  const host = URL.parse(url)?.hostname.replace(/\.$/, '') ?? ''
  return domains.some((domain) => host === domain || host.endsWith(`.${domain}`))
}
