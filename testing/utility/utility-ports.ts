import { createSafeFetch } from '../../src/fetching/safe-fetch.ts'
import { createDnsResolver } from '../../src/utility/dns/dns-resolver.ts'
import { openGeoData } from '../../src/utility/geo/geo-data.ts'
import { createPageCache } from '../../src/utility/page/page-cache.ts'
import type { UtilityPorts } from '../../src/utility/ports.ts'
import type { SearchBackend } from '../../src/utility/search/search-backend.ts'
import type { State } from '../../src/utility/state/state.ts'
import { createLanguageNames } from '../../src/utility/translate/language/language-names.ts'
import { createTranslator } from '../../src/utility/translate/translator.ts'
import { createVectorizer } from '../../src/utility/vectorize/process/vectorizer.ts'
import { createWorkerPool } from '../../src/workers/pool.ts'
import { TEST_TIME } from '../catalogue/run-endpoint.ts'

const NOTHING_TO_SEARCH: SearchBackend = {
  isReady: () => false,
  search: async () => ({ provider: 'index', hits: [] }),
}

/** The ports of the utility service in tests; no name resolves, unless `more` overrides it. */
export function utilityPorts(state: State, more: Partial<UtilityPorts> = {}): UtilityPorts {
  const workers = more.workers ?? createWorkerPool({ deadlineScale: 100 })
  let geo: ReturnType<typeof openGeoData> | undefined
  return {
    state,
    clock: () => TEST_TIME,
    fetch: createSafeFetch({ allowPrivateNetwork: true }),
    workers,
    search: NOTHING_TO_SEARCH,
    scrapedPages: null,
    pageCache: createPageCache(),
    extractionTier: null,
    ocr: null,
    browser: null,
    vectorizer: createVectorizer(),
    imageMaker: null,
    tiers: new Map(),
    translator: createTranslator([], createLanguageNames()),
    locate: async (address, signal) => {
      geo ??= openGeoData({ files: [], attribution: null })
      return (await geo)(address, signal)
    },
    dns: createDnsResolver({ servers: ['127.0.0.1:1'] }),
    ...more,
  }
}
