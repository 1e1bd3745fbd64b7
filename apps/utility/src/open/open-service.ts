import type { Service } from '@tollbook/endpoints/service'
import { openExtractionTier, openModels } from '@tollbook/models/files/open-models'
import type { TierSettings } from '@tollbook/models/tiers/tier-file'
import { MESSAGES_TIER } from '@tollbook/models/tiers/tier-table'
import type { AppContext } from '@tollbook/runtime/app'
import { outsideOptions, userAgentOf } from '@tollbook/runtime/places/outside'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { type Browsers, createPageBrowser } from '../browser/page-browser.ts'
import { createDnsResolver } from '../dns/dns-resolver.ts'
import { openOcr } from '../ocr/open-ocr.ts'
import { createPageCache } from '../page/page-cache.ts'
import { createScrapedPages } from '../search/scraped-pages.ts'
import { createUtilityService } from '../service.ts'
import type { State } from '../state/state.ts'
import { createVectorizer } from '../vectorize/process/vectorizer.ts'
import { openGeo } from './open-geo.ts'
import { openImageMaker } from './open-image-maker.ts'
import { openSearch } from './open-search.ts'
import { openTranslator } from './open-translator.ts'

/** The utility service as configured. @param browsers render pages; null: pages are not rendered */
export async function openService(context: AppContext<State>, browsers: Browsers | null): Promise<Service> {
  const { config, baseUrl, state, workers, logger, mount } = context
  const clock = () => new Date()
  const dns = createDnsResolver({
    servers: config.TOLLBOOK_DNS_SERVERS,
    compared: config.TOLLBOOK_DNS_COMPARED_SERVERS,
  })
  const fetch = createSafeFetch(outsideOptions(config, baseUrl))
  const search = await openSearch(context)
  const onFailure = (error: unknown) => logger.error({ err: error }, 'a scraped page could not be stored')
  const scrapedPages =
    config.TOLLBOOK_INDEX_SCRAPED === 'on'
      ? createScrapedPages({ state, workers, now: clock, onFailure })
      : null
  const locate = await openGeo(config)
  const vectorizer = createVectorizer()
  const imageMaker = openImageMaker(config, baseUrl, fetch)
  const translator = await openTranslator(config, baseUrl)
  const browser = browsers && createPageBrowser({ fetch, browsers })
  // Without messages no tier is sold here.
  const tiers = await openModels(config, userAgentOf(baseUrl), mount ? isSoldAsMessages : () => false)
  const extractionTier = await openExtractionTier(config, userAgentOf(baseUrl), tiers)
  const outside = { dns, fetch, browser, locate, search, scrapedPages, imageMaker, translator }
  const ports = {
    state,
    clock,
    workers,
    vectorizer,
    tiers,
    extractionTier,
    pageCache: createPageCache(),
    ocr: openOcr(),
    ...outside,
  }
  const mounted = mount ? await mount('utility', ports) : []
  return createUtilityService({ baseUrl, ports, mounted })
}

/** A model file of a tier is loaded once, by the service that sells its chats. */
function isSoldAsMessages(tier: string, { upstreams }: TierSettings): boolean {
  return tier === MESSAGES_TIER || upstreams.every(({ dialect }) => dialect !== 'gguf')
}
