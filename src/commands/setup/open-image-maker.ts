import { type Config, ConfigError } from '../../config.ts'
import type { FetchLimits, SafeFetch } from '../../fetching/safe-fetch.ts'
import { createAutomatic1111 } from '../../images/dialect/automatic1111.ts'
import { createComfyui } from '../../images/dialect/comfyui.ts'
import { loadWorkflow } from '../../images/dialect/comfyui-workflow.ts'
import { createOpenaiImages } from '../../images/dialect/openai.ts'
import type { ImageMaker } from '../../images/image-maker.ts'
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

/** The generator of `/api/generate-image`; null without upstream. @throws ConfigError without a workflow */
export async function openImageMaker(
  config: Config,
  baseUrl: string,
  fetchPublic: SafeFetch,
): Promise<ImageMaker | null> {
  const { TOLLBOOK_IMAGE_URL: url, TOLLBOOK_IMAGE_DIALECT: dialect } = config
  if (!url) return null
  const upstream = {
    url,
    key: config.TOLLBOOK_IMAGE_KEY,
    model: config.TOLLBOOK_IMAGE_MODEL,
    fetch: createImageFetch(config, baseUrl, { headersMs: IMAGE_TIMEOUT_MS }),
  }
  switch (dialect) {
    case 'openai': {
      const sizes = config.TOLLBOOK_IMAGE_SIZES ?? OPENAI_SIZES
      return withBreaker(createOpenaiImages({ ...upstream, fetchPublic, sizes }))
    }
    case 'automatic1111':
      return withBreaker(createAutomatic1111(upstream))
    case 'comfyui':
      return withBreaker(createComfyui({ ...upstream, workflow: await readWorkflow(config) }))
    default:
      throw new Error('unreachable', { cause: dialect satisfies never })
  }
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

/** The workflow of the dialect `comfyui`. @throws ConfigError */
export async function readWorkflow({ TOLLBOOK_IMAGE_WORKFLOW: path }: Config) {
  const name = 'TOLLBOOK_IMAGE_WORKFLOW'
  if (path === undefined) throw new ConfigError([`${name}: required by the dialect comfyui`])
  try {
    return await loadWorkflow(path)
  } catch (error) {
    throw new ConfigError([`${name}: ${error instanceof Error ? error.message : error}`])
  }
}
