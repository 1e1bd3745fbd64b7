import type { ImageMaker } from '@tollbook/models/images/image-maker'
import { createOpenaiImages, OPENAI_SIZES } from '@tollbook/models/images/openai-images'
import { IMAGE_TIMEOUT_MS, IMAGE_UPSTREAM_LIMITS, withBreaker } from '@tollbook/models/images/upstream'
import type { Config } from '@tollbook/runtime/config'
import { createUpstreamFetch } from '@tollbook/runtime/places/outside'
import type { SafeFetch } from '@tollbook/safe-fetch/safe-fetch'

/** The generator of `/api/generate-image`; null without upstream. */
export function openImageMaker(config: Config, baseUrl: string, fetchPublic: SafeFetch): ImageMaker | null {
  const { TOLLBOOK_IMAGE_URL: url } = config
  if (!url) return null
  const maker = createOpenaiImages({
    url,
    key: config.TOLLBOOK_IMAGE_KEY,
    model: config.TOLLBOOK_IMAGE_MODEL,
    fetch: createUpstreamFetch(config, baseUrl, { ...IMAGE_UPSTREAM_LIMITS, headersMs: IMAGE_TIMEOUT_MS }),
    fetchPublic,
    sizes: config.TOLLBOOK_IMAGE_SIZES ?? OPENAI_SIZES,
  })
  return withBreaker(maker)
}
