import { askProbe } from '@tollbook/runtime/check/ask-probe'
import { checkChatModels } from '@tollbook/runtime/check/check-chat-models'
import type { Finding } from '@tollbook/runtime/check/finding'
import type { Config } from '@tollbook/runtime/config'
import * as z from 'zod'
import { findTranslationModels } from './bergamot-models.ts'

const NAME = 'translation'
/** https://docs.libretranslate.com/api/operations/languages/ */
const languages = z.array(z.object({ code: z.string() }))
/** https://docs.libretranslate.com/api/operations/frontend_settings/ */
const frontend = z.looseObject({ keyRequired: z.boolean().optional() })

/** Checks the backends of `/api/translate-text`, in the order in which they are used. */
export async function checkTranslation(config: Config): Promise<readonly Finding[]> {
  const checks = {
    llm: () => checkModel(config),
    libretranslate: () => checkLibretranslate(config),
    bergamot: () => checkBergamot(config),
  }
  const findings: Finding[] = []
  for (const backend of config.TOLLBOOK_TRANSLATE_ORDER) findings.push(...(await checks[backend]()))
  if (findings.length > 0) return findings
  const text =
    'no backend is configured; /api/translate-text is not sold (add a model: tollbook models add bergamot-en-es)'
  return [{ verdict: 'note', name: NAME, text }]
}

async function checkModel(config: Config): Promise<readonly Finding[]> {
  const { TOLLBOOK_TRANSLATE_LLM_URL: url, TOLLBOOK_TRANSLATE_LLM_MODEL: model } = config
  if (url === undefined) return []
  if (model === undefined) {
    const text = 'TOLLBOOK_TRANSLATE_LLM_URL needs TOLLBOOK_TRANSLATE_LLM_MODEL'
    return [{ verdict: 'failed', name: NAME, text }]
  }
  const upstream = { name: NAME, model, key: config.TOLLBOOK_TRANSLATE_LLM_KEY }
  const base = url.replace(/\/chat\/completions$/, '')
  return [await checkChatModels(config, { ...upstream, url: base, settings: 'TOLLBOOK_TRANSLATE_LLM' })]
}

async function checkLibretranslate(config: Config): Promise<readonly Finding[]> {
  const { TOLLBOOK_LIBRETRANSLATE_URL: url, TOLLBOOK_LIBRETRANSLATE_KEY: key } = config
  if (url === undefined) return []
  const place = {
    name: NAME,
    setting: 'TOLLBOOK_LIBRETRANSLATE_URL',
    keySetting: 'TOLLBOOK_LIBRETRANSLATE_KEY',
  }
  const answers = await askProbe(config, {
    ...place,
    url: `${url}/languages`,
    judge(json) {
      const read = languages.safeParse(json)
      if (!read.success) return { verdict: 'failed', text: `is not LibreTranslate; check ${place.setting}` }
      if (read.data.length > 1) return { verdict: 'ok', text: `translates ${read.data.length} languages` }
      return { verdict: 'failed', text: 'has fewer than two languages; load models there' }
    },
  })
  if (key !== undefined || answers.verdict !== 'ok') return [answers]
  const needsKey = await askProbe(config, {
    ...place,
    url: `${url}/frontend/settings`,
    judge: (json) =>
      frontend.safeParse(json).data?.keyRequired === true
        ? { verdict: 'failed', text: `requires a key; set ${place.keySetting}` }
        : { verdict: 'ok', text: 'requires no key' },
    // Older versions do not report it.
    ifUnknown: { verdict: 'note', text: 'does not report whether it requires a key' },
  })
  return [answers, needsKey]
}

async function checkBergamot(config: Config): Promise<readonly Finding[]> {
  const models = await findTranslationModels(config)
  if (models.length === 0) return []
  const pairs = models.map(({ source, target }) => `${source}-${target}`).join(', ')
  return [{ verdict: 'ok', name: NAME, text: `models are installed for ${pairs}` }]
}
