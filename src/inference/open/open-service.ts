import type { Service } from '../../catalogue/service.ts'
import { createSafeFetch } from '../../fetching/safe-fetch.ts'
import { openEmbeddings, openModels } from '../../models/files/open-models.ts'
import { MESSAGES_TIER } from '../../models/tiers/tier-table.ts'
import type { AppContext } from '../../runtime/app.ts'
import { outsideOptions, userAgentOf } from '../../runtime/places/outside.ts'
import { createInferenceService } from '../service.ts'
import { openAudio } from './open-audio.ts'
import { openImages } from './open-images.ts'

/** The inference service as configured. */
export async function openService(context: AppContext<unknown>): Promise<Service> {
  const { config, baseUrl, workers, logger } = context
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
