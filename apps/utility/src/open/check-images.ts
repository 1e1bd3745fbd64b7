import { checkChatModels } from '@tollbook/runtime/check/check-chat-models'
import type { Finding } from '@tollbook/runtime/check/finding'
import type { Config } from '@tollbook/runtime/config'

const NAME = 'images'

/** Checks whether the upstream of `/api/generate-image` answers; generates no image. */
export async function checkImages(config: Config): Promise<readonly Finding[]> {
  const { TOLLBOOK_IMAGE_URL: url, TOLLBOOK_IMAGE_KEY: key, TOLLBOOK_IMAGE_MODEL: model } = config
  if (url === undefined)
    return [{ verdict: 'note', name: NAME, text: 'no TOLLBOOK_IMAGE_URL; /api/generate-image is not sold' }]
  return [await checkChatModels(config, { name: NAME, url, key, model, settings: 'TOLLBOOK_IMAGE' })]
}
