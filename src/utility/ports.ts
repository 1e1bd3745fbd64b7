import type { SafeFetch } from '../fetching/safe-fetch.ts'
import type { OpenTier } from '../models/tiers/open-tiers.ts'
import type { State } from '../state/state.ts'
import type { WorkerPool } from '../workers/pool.ts'
import type { PageBrowser } from './browser/page-browser.ts'
import type { DnsResolver } from './dns/dns-resolver.ts'
import type { LocateAddress } from './geo/address-place.ts'
import type { ImageMaker } from './image/image-maker.ts'
import type { ScrapedPages } from './search/scraped-pages.ts'
import type { SearchBackend } from './search/search-backend.ts'
import type { Translator } from './translate/translator.ts'
import type { Vectorizer } from './vectorize/process/vectorizer.ts'

/** What the handlers of the utility service reach the world through. */
export type UtilityPorts = {
  readonly state: State
  /** The way to URLs that callers name. */
  readonly fetch: SafeFetch
  /** Threads for what callers and their pages send. */
  readonly workers: WorkerPool
  /** Runs the scripts of pages; null where the operator keeps no browser. */
  readonly browser: PageBrowser | null
  /** Public resolvers. */
  readonly dns: DnsResolver
  /** Where addresses are. */
  readonly locate: LocateAddress
  readonly search: SearchBackend
  /** Takes pages that calls brought here; null where the operator does not keep them. */
  readonly scrapedPages: ScrapedPages | null
  /** Processes that trace pictures. */
  readonly vectorizer: Vectorizer
  /** Makes pictures of prompts; null where the operator names no upstream. */
  readonly imageMaker: ImageMaker | null
  readonly translator: Translator
  /** The model of /v1/messages; undefined where the operator's file names none. */
  readonly messages: OpenTier | undefined
  readonly clock: () => Date
}
