import type { SafeFetch } from '../../fetching/safe-fetch.ts'
import type { ImageMaker } from '../../images/image-maker.ts'
import { createOpenaiImages, OPENAI_SIZES } from '../../images/openai-images.ts'
import { IMAGE_TIMEOUT_MS, IMAGE_UPSTREAM_LIMITS, withBreaker } from '../../images/upstream.ts'
import type { Config } from '../../runtime/config.ts'
import { createUpstreamFetch } from '../../runtime/places/outside.ts'

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
