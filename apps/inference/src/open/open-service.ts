import type { Service } from '@tollbook/endpoints/service'
import { openEmbeddings, openModels } from '@tollbook/models/files/open-models'
import { MESSAGES_TIER } from '@tollbook/models/tiers/tier-table'
import type { AppContext } from '@tollbook/runtime/app'
import { outsideOptions, userAgentOf } from '@tollbook/runtime/places/outside'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
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
