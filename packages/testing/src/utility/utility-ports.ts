import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { createDnsResolver } from '@tollbook/utility/dns/dns-resolver'
import { openGeoData } from '@tollbook/utility/geo/geo-data'
import { createPageCache } from '@tollbook/utility/page/page-cache'
import type { UtilityPorts } from '@tollbook/utility/ports'
import type { SearchBackend } from '@tollbook/utility/search/search-backend'
import type { State } from '@tollbook/utility/state/state'
import { createLanguageNames } from '@tollbook/utility/translate/language/language-names'
import { createTranslator } from '@tollbook/utility/translate/translator'
import { createVectorizer } from '@tollbook/utility/vectorize/process/vectorizer'
import { createWorkerPool } from '@tollbook/workers/pool'
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
