import type { SafeFetch } from '../../fetching/safe-fetch.ts'
import type { ImageMaker } from '../../images/image-maker.ts'
import { createOpenaiImages, OPENAI_SIZES } from '../../images/openai-images.ts'
import { firstThatMakes, IMAGE_UPSTREAM_LIMITS, withBreaker } from '../../images/upstream.ts'
import { loadModelsFile } from '../../models/files/open-models.ts'
import type { Config } from '../../runtime/config.ts'
import { createUpstreamFetch } from '../../runtime/places/outside.ts'

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
