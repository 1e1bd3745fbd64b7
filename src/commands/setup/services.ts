import type { Logger } from 'pino'
import type { Service } from '../../catalogue/service.ts'
import { createSafeFetch } from '../../fetching/safe-fetch.ts'
import { ConfigError } from '../../flow/config-error.ts'
import { defineOtherMessagesNames } from '../../inference/define-other-names.ts'
import { loadMessagesEndpoints } from '../../inference/messages/mounted-endpoints.ts'
import { openAudio } from '../../inference/open/open-audio.ts'
import { openImages } from '../../inference/open/open-images.ts'
import { createInferenceService } from '../../inference/service.ts'
import { openEmbeddings, openExtractionTier, openModels } from '../../models/files/open-models.ts'
import type { TierSettings } from '../../models/tiers/tier-file.ts'
import { MESSAGES_TIER } from '../../models/tiers/tier-table.ts'
import type { Config } from '../../runtime/config.ts'
import type { PaidService } from '../../runtime/places/addresses.ts'
import { createUpstreamFetch, outsideOptions, userAgentOf } from '../../runtime/places/outside.ts'
import { openSocial } from '../../social/open/open-social.ts'
import { createSocialService } from '../../social/service.ts'
import { type Browsers, createPageBrowser } from '../../utility/browser/page-browser.ts'
import { createDnsResolver } from '../../utility/dns/dns-resolver.ts'
import type { LocateAddress } from '../../utility/geo/address-place.ts'
import { GeoFileError, openGeoData } from '../../utility/geo/geo-data.ts'
import { openOcr } from '../../utility/ocr/open-ocr.ts'
import { openImageMaker } from '../../utility/open/open-image-maker.ts'
import { openTranslator } from '../../utility/open/open-translator.ts'
import { createPageCache } from '../../utility/page/page-cache.ts'
import { ownPagesFirst } from '../../utility/search/own-pages-first.ts'
import { openPageIndex } from '../../utility/search/pages/page-index.ts'
import { createScrapedPages } from '../../utility/search/scraped-pages.ts'
import type { SearchBackend } from '../../utility/search/search-backend.ts'
import { firstThatAnswers } from '../../utility/search/upstream/first-that-answers.ts'
import { createMediaWiki } from '../../utility/search/upstream/mediawiki.ts'
import { createSearxng } from '../../utility/search/upstream/searxng.ts'
import { createTavily } from '../../utility/search/upstream/tavily.ts'
import { createUtilityService } from '../../utility/service.ts'
import { createVectorizer } from '../../utility/vectorize/process/vectorizer.ts'
import type { WorkerPool } from '../../workers/pool.ts'
import type { State } from '../state/state.ts'

type Place = {
  readonly config: Config
  readonly baseUrl: string
  readonly state: State
  readonly workers: WorkerPool
}

export type ServiceOptions = {
  readonly config: Config
  readonly baseUrl: string
  readonly state: State
  readonly workers: WorkerPool
  readonly logger: Logger
  /** Renders pages; absent, they are not rendered. */
  readonly browsers?: Browsers | null
}

/** Every search goes to one host. */
const SEARCHES_AT_A_TIME = 16

export async function createService(name: PaidService, options: ServiceOptions): Promise<Service> {
  const { config, baseUrl, state, workers, logger, browsers = null } = options
  const clock = () => new Date()
  switch (name) {
    case 'social':
      return createSocialService({ baseUrl, ...(await openSocial({ config, baseUrl, state, workers })) })
    case 'utility': {
      const dns = createDnsResolver({
        servers: config.TOLLBOOK_DNS_SERVERS,
        compared: config.TOLLBOOK_DNS_COMPARED_SERVERS,
      })
      const fetch = createSafeFetch(outsideOptions(config, baseUrl))
      const search = await openSearch({ config, baseUrl, state, workers })
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
      const tiers = await openModels(config, userAgentOf(baseUrl), isSoldAsMessages)
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
      const mounted = [...(await loadMessagesEndpoints()), ...defineOtherMessagesNames(tiers)]
      return createUtilityService({ baseUrl, ports, mounted })
    }
    case 'inference': {
      const onUnavailable = (note: string) => logger.info({ note }, 'a voice provider is not available')
      const fetch = createSafeFetch(outsideOptions(config, baseUrl))
      return createInferenceService({
        baseUrl,
        ports: {
          ...(await openAudio(config, baseUrl, onUnavailable)),
          workers,
          tiers: await openModels(config, userAgentOf(baseUrl), (tier) => tier !== MESSAGES_TIER),
          embedder: await openEmbeddings(config, userAgentOf(baseUrl)),
          imageMaker: await openImages(config, baseUrl, fetch),
          fetch,
        },
      })
    }
    default:
      throw new Error('unreachable', { cause: name satisfies never })
  }
}

/** A model file of a tier is loaded once, by the service that sells its chats. */
function isSoldAsMessages(tier: string, { upstreams }: TierSettings): boolean {
  return tier === MESSAGES_TIER || upstreams.every(({ dialect }) => dialect !== 'gguf')
}

/** Opens the data for locating IP addresses. @throws ConfigError unless each is an mmdb file. */
async function openGeo(config: Config): Promise<LocateAddress> {
  const files = config.TOLLBOOK_GEO_FILES
  const attribution = config.TOLLBOOK_GEO_ATTRIBUTION ?? null
  try {
    return await openGeoData({ files, attribution })
  } catch (error) {
    if (!(error instanceof GeoFileError)) throw error
    const position = files.indexOf(error.path) + 1
    throw new ConfigError([`TOLLBOOK_GEO_FILES: file ${position} cannot be read as an mmdb file`])
  }
}

/** The backends of `/api/search`: the configured upstreams, else the stored pages and the wiki. */
async function openSearch({ config, baseUrl, state, workers }: Place): Promise<SearchBackend> {
  const { TOLLBOOK_SEARXNG_URL, TOLLBOOK_SEARCH_URL, TOLLBOOK_SEARCH_KEY } = config
  const fetch = createUpstreamFetch(config, baseUrl, { perHost: SEARCHES_AT_A_TIME })
  const upstreams = [
    ...(TOLLBOOK_SEARXNG_URL ? [createSearxng({ url: TOLLBOOK_SEARXNG_URL, fetch })] : []),
    ...(TOLLBOOK_SEARCH_URL ? [createTavily({ url: TOLLBOOK_SEARCH_URL, fetch }, TOLLBOOK_SEARCH_KEY)] : []),
  ]
  if (upstreams.length > 0) return firstThatAnswers(upstreams)
  const own = await openPageIndex({ state, workers })
  const url = config.TOLLBOOK_MEDIAWIKI_URL
  const wiki = url === 'off' ? null : firstThatAnswers([createMediaWiki({ url, fetch, workers })])
  return ownPagesFirst(own, wiki)
}
