import type { Config } from '../../config.ts'
import type { FetchLimits, SafeFetch } from '../../fetching/safe-fetch.ts'
import type { ImageMaker } from '../../images/image-maker.ts'
import { createOpenaiImages } from '../../images/openai-images.ts'
import { firstThatMakes, IMAGE_TIMEOUT_MS, withBreaker } from '../../images/upstream.ts'
import { loadModelsFile } from './open-models.ts'
import { createUpstreamFetch } from './outside.ts'

const IMAGES_AT_A_TIME = 8

/** The sizes that OpenAI's models accept. */
const OPENAI_SIZES = [
  { width: 1024, height: 1024 },
  { width: 1536, height: 1024 },
  { width: 1024, height: 1536 },
]

/** The generator of `/api/generate-image`; null without upstream. */
export function openImageMaker(config: Config, baseUrl: string, fetchPublic: SafeFetch): ImageMaker | null {
  const { TOLLBOOK_IMAGE_URL: url } = config
  if (!url) return null
  const maker = createOpenaiImages({
    url,
    key: config.TOLLBOOK_IMAGE_KEY,
    model: config.TOLLBOOK_IMAGE_MODEL,
    fetch: createImageFetch(config, baseUrl, { headersMs: IMAGE_TIMEOUT_MS }),
    fetchPublic,
    sizes: config.TOLLBOOK_IMAGE_SIZES ?? OPENAI_SIZES,
  })
  return withBreaker(maker)
}

/** The generator of `/v1/images/generations`; null without `images` in the file. @throws ConfigError */
export async function openImages(
  config: Config,
  baseUrl: string,
  fetchPublic: SafeFetch,
): Promise<ImageMaker | null> {
  const makers = (await loadModelsFile(config))?.images?.upstreams.map((upstream) => {
    const { base_url: url, model, key, connect_ms: connectMs, total_ms: timeoutMs } = upstream
    const fetch = createImageFetch(config, baseUrl, { connectMs, headersMs: timeoutMs })
    const options = { url, model, key, fetch, fetchPublic, sizes: OPENAI_SIZES, timeoutMs }
    return withBreaker(createOpenaiImages(options))
  })
  return makers ? firstThatMakes(makers) : null
}

function createImageFetch(config: Config, baseUrl: string, limits: Partial<FetchLimits>): SafeFetch {
  // Its answer begins when the image is complete.
  return createUpstreamFetch(config, baseUrl, { perHost: IMAGES_AT_A_TIME, idleMs: 30_000, ...limits })
}
