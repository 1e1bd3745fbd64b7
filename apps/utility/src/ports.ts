import type { ImageMaker } from '@tollbook/models/images/image-maker'
import type { OpenTier, OpenTiers } from '@tollbook/models/tiers/open-tiers'
import type { SafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import type { WorkerPool } from '@tollbook/workers/pool'
import type { PageBrowser } from './browser/page-browser.ts'
import type { DnsResolver } from './dns/dns-resolver.ts'
import type { LocateAddress } from './geo/address-place.ts'
import type { Ocr } from './ocr/open-ocr.ts'
import type { PageCache } from './page/page-cache.ts'
import type { ScrapedPages } from './search/scraped-pages.ts'
import type { SearchBackend } from './search/search-backend.ts'
import type { State } from './state/state.ts'
import type { Translator } from './translate/translator.ts'
import type { Vectorizer } from './vectorize/process/vectorizer.ts'

/** Everything through which handlers of the utility service reach the outside world. */
export type UtilityPorts = {
  readonly state: State
  /** Fetches URLs that callers name. */
  readonly fetch: SafeFetch
  /** Worker threads for untrusted input of callers and their pages. */
  readonly workers: WorkerPool
  /** Pages of earlier calls of `/api/scrape`. */
  readonly pageCache: PageCache
  /** Runs the scripts of pages; null if the operator configured no browser. */
  readonly browser: PageBrowser | null
  /** Reads text in images; null if its packages are not installed. */
  readonly ocr: Ocr | null
  /** Public resolvers. */
  readonly dns: DnsResolver
  /** Locations of IP addresses. */
  readonly locate: LocateAddress
  readonly search: SearchBackend
  /** Stores scraped pages; null if the operator disabled it. */
  readonly scrapedPages: ScrapedPages | null
  /** Processes that trace images. */
  readonly vectorizer: Vectorizer
  /** Generates images from prompts; null if the operator configured no upstream. */
  readonly imageMaker: ImageMaker | null
  readonly translator: Translator
  /** The models of /v1/messages, by tier. */
  readonly tiers: OpenTiers
  /** The model that fills JSON Schemas, answers searches and writes summaries; null if the operator selected none. */
  readonly extractionTier: OpenTier | null
  readonly clock: () => Date
}
