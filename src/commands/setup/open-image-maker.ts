import { type Config, ConfigError } from '../../config.ts'
import { createSafeFetch, type SafeFetch } from '../../fetching/safe-fetch.ts'
import { createAutomatic1111 } from '../../utility/image/dialect/automatic1111.ts'
import { createComfyui } from '../../utility/image/dialect/comfyui.ts'
import { loadWorkflow } from '../../utility/image/dialect/comfyui-workflow.ts'
import { createOpenaiImages } from '../../utility/image/dialect/openai.ts'
import type { ImageMaker } from '../../utility/image/image-maker.ts'
import { IMAGE_TIMEOUT_MS, withBreaker } from '../../utility/image/upstream.ts'
import { outsideOptions } from './outside.ts'

const IMAGES_AT_A_TIME = 8

/** The sizes that OpenAI's models accept. */
const OPENAI_SIZES = [
  { width: 1024, height: 1024 },
  { width: 1536, height: 1024 },
  { width: 1024, height: 1536 },
]

/**
 * The image generator of `/api/generate-image`; null if no upstream is configured.
 * @param fetchPublic for images that an upstream returns by URL
 * @throws ConfigError if the dialect lacks its workflow
 */
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
    fetch: createSafeFetch({
      ...outsideOptions(config, baseUrl),
      // The operator configures the upstream, which may run in the same private network.
      allowPrivateNetwork: true,
      refusedHosts: new Set(),
      // Its answer begins when the image is complete.
      limits: { perHost: IMAGES_AT_A_TIME, headersMs: IMAGE_TIMEOUT_MS, idleMs: 30_000 },
    }),
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

async function readWorkflow({ TOLLBOOK_IMAGE_WORKFLOW: path }: Config) {
  const name = 'TOLLBOOK_IMAGE_WORKFLOW'
  if (path === undefined) throw new ConfigError([`${name}: required by the dialect comfyui`])
  try {
    return await loadWorkflow(path)
  } catch (error) {
    throw new ConfigError([`${name}: ${error instanceof Error ? error.message : error}`])
  }
}
