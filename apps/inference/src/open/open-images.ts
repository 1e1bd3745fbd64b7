import { loadModelsFile } from '@tollbook/models/files/open-models'
import type { ImageMaker } from '@tollbook/models/images/image-maker'
import { createOpenaiImages, OPENAI_SIZES } from '@tollbook/models/images/openai-images'
import { firstThatMakes, IMAGE_UPSTREAM_LIMITS, withBreaker } from '@tollbook/models/images/upstream'
import type { Config } from '@tollbook/runtime/config'
import { createUpstreamFetch } from '@tollbook/runtime/places/outside'
import type { SafeFetch } from '@tollbook/safe-fetch/safe-fetch'

/** The generator of `/v1/images/generations`; null without `images` in the file. @throws ConfigError */
export async function openImages(
  config: Config,
  baseUrl: string,
  fetchPublic: SafeFetch,
): Promise<ImageMaker | null> {
  const makers = (await loadModelsFile(config))?.images?.upstreams.map((upstream) => {
    const { base_url: url, model, key, connect_ms: connectMs, total_ms: timeoutMs } = upstream
    const limits = { ...IMAGE_UPSTREAM_LIMITS, connectMs, headersMs: timeoutMs }
    const fetch = createUpstreamFetch(config, baseUrl, limits)
    const options = { url, model, key, fetch, fetchPublic, sizes: OPENAI_SIZES, timeoutMs }
    return withBreaker(createOpenaiImages(options))
  })
  return makers ? firstThatMakes(makers) : null
}
