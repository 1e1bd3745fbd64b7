import { createSafeFetch } from '../../src/fetching/safe-fetch.ts'
import { openImages } from '../../src/inference/open/open-images.ts'
import { loadConfig } from '../../src/runtime/config.ts'

/** The generator of images that a models file configures, as the product opens it; null without `images` in it. */
export function openImagesOf(modelsFile: string, baseUrl: string) {
  const fetch = createSafeFetch({ allowPrivateNetwork: false })
  return openImages(loadConfig({ TOLLBOOK_MODELS_FILE: modelsFile }), baseUrl, fetch)
}
