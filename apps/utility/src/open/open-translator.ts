import { ConfigError } from '@tollbook/flow/config-error'
import { holdModelFile } from '@tollbook/models/files/model-locks'
import type { Config } from '@tollbook/runtime/config'
import { createUpstreamFetch } from '@tollbook/runtime/places/outside'
import { openBergamot } from '../translate/backend/bergamot.ts'
import { createChatTranslation } from '../translate/backend/chat-completions.ts'
import { createLibretranslate } from '../translate/backend/libretranslate.ts'
import { createLanguageNames } from '../translate/language/language-names.ts'
import type { TranslationBackend } from '../translate/translation-backend.ts'
import { createTranslator, type Translator } from '../translate/translator.ts'
import { findTranslationModels } from './bergamot-models.ts'

const TRANSLATIONS_AT_A_TIME = 16

/** The available backends of `/api/translate-text`, in their order. @throws ConfigError */
export async function openTranslator(config: Config, baseUrl: string): Promise<Translator> {
  const names = createLanguageNames()
  // Models answer when they are done.
  const limits = { perHost: TRANSLATIONS_AT_A_TIME, headersMs: 60_000, idleMs: 30_000 }
  const fetch = createUpstreamFetch(config, baseUrl, limits)
  const { TOLLBOOK_LIBRETRANSLATE_URL, TOLLBOOK_LIBRETRANSLATE_KEY } = config
  const { TOLLBOOK_TRANSLATE_LLM_URL: url, TOLLBOOK_TRANSLATE_LLM_MODEL: model } = config
  if (url && !model)
    throw new ConfigError(['TOLLBOOK_TRANSLATE_LLM_MODEL: required by TOLLBOOK_TRANSLATE_LLM_URL'])
  const open = {
    bergamot: async () => {
      const models = await findTranslationModels(config)
      for (const { model } of models) holdModelFile(model)
      return openBergamot(models)
    },
    libretranslate: () =>
      TOLLBOOK_LIBRETRANSLATE_URL
        ? createLibretranslate({
            url: TOLLBOOK_LIBRETRANSLATE_URL,
            key: TOLLBOOK_LIBRETRANSLATE_KEY,
            fetch,
            names,
          })
        : null,
    llm: () =>
      url && model
        ? createChatTranslation({ url, model, key: config.TOLLBOOK_TRANSLATE_LLM_KEY, fetch })
        : null,
  }
  const backends: TranslationBackend[] = []
  for (const name of config.TOLLBOOK_TRANSLATE_ORDER) {
    const backend = await open[name]()
    if (backend) backends.push(backend)
  }
  return createTranslator(backends, names)
}
