import { openImages } from '@tollbook/inference/open/open-images'
import { loadConfig } from '@tollbook/runtime/config'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'

/** The generator of images that a models file configures, as the product opens it; null without `images` in it. */
export function openImagesOf(modelsFile: string, baseUrl: string) {
  const fetch = createSafeFetch({ allowPrivateNetwork: false })
  return openImages(loadConfig({ TOLLBOOK_MODELS_FILE: modelsFile }), baseUrl, fetch)
}
