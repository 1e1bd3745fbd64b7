import type { Finding } from '@tollbook/runtime/check/finding'
import type { Config } from '@tollbook/runtime/config'
import type { Part } from '@tollbook/runtime/places/parts'
import { type ServiceSuffix, serviceSetting } from '@tollbook/runtime/settings/service-settings'

const ALL = (): boolean => true
/** Services, by their names. */
const SOLD = (part: Part): boolean => part !== 'index' && part !== 'report'

/** Purposes of settings in the order of the output, and the parts that use them. */
const PURPOSES = {
  chain: ALL,
  payments: SOLD,
  catalogues: (part) => part !== 'index',
  storage: ALL,
  portals: ['index'],
  reports: ['index', 'report'],
  social: ['social'],
  'sign-in': ['social'],
  utility: ['utility'],
  search: ['utility'],
  translation: ['utility'],
  images: ['utility'],
  inference: ['inference'],
  models: ['utility', 'inference'],
  transcripts: ['inference'],
  traces: ALL,
  'voices of Azure': ['inference'],
  'voices of Google': ['inference'],
  'voices of Polly': ['inference'],
  'voices of ElevenLabs': ['inference'],
  'voices of OpenAI': ['inference'],
  'voices of Kokoro': ['inference'],
  'voices of Piper': ['inference'],
} as const satisfies Readonly<Record<string, readonly Part[] | ((part: Part) => boolean)>>
type Purpose = keyof typeof PURPOSES

/** Settings without a default. */
type Optional = {
  [Name in keyof Config]-?: undefined extends Config[Name] ? Name : never
}[keyof Config]
/** Settings without a default that each service has. */
const OF_SERVICES = ['BASE_URL', 'PAY_TO', 'TAGS'] as const satisfies readonly ServiceSuffix[]

/** The purpose of each; where several serve one purpose, those that enable it come first. */
const PURPOSE_OF: Readonly<Record<Optional, Purpose>> = {
  TOLLBOOK_CHAIN_RPC_URL: 'chain',
  TOLLBOOK_CONTACT: 'catalogues',
  TOLLBOOK_ICON_URL: 'catalogues',
  TOLLBOOK_OWNERSHIP_KEY: 'catalogues',
  TOLLBOOK_CATALOGUE_KEY: 'catalogues',
  TOLLBOOK_HYPERSYNC_URL: 'portals',
  TOLLBOOK_HYPERSYNC_TOKEN: 'portals',
  TOLLBOOK_SQD_URL: 'portals',
  TOLLBOOK_SQD_TOKEN: 'portals',
  TOLLBOOK_FACILITATORS_FILE: 'chain',
  TOLLBOOK_KEYSTORE_SECRET: 'chain',
  TOLLBOOK_SIGNER_URL: 'chain',
  TOLLBOOK_FACILITATOR_URL: 'payments',
  TOLLBOOK_FACILITATOR_KEY: 'payments',
  TOLLBOOK_FACILITATOR_BASE_URL: 'payments',
  TOLLBOOK_ETH_USD: 'payments',
  TOLLBOOK_CALL_KEY: 'payments',
  TOLLBOOK_OFFER_KEY: 'payments',
  TOLLBOOK_OPERATOR_KEY: 'payments',
  TOLLBOOK_OTLP_URL: 'traces',
  TOLLBOOK_STATE_URL: 'storage',
  TOLLBOOK_LEDGER_URL: 'storage',
  TOLLBOOK_LEDGER_WEEKS: 'storage',
  TOLLBOOK_REPORT_BASE_URL: 'reports',
  TOLLBOOK_INDEXER_URL: 'reports',
  TOLLBOOK_LABELS_FILE: 'reports',
  TOLLBOOK_PUBLISH_SECONDS: 'reports',
  TOLLBOOK_X_TOKEN: 'social',
  TOLLBOOK_X_USER_TOKEN: 'social',
  TOLLBOOK_SESSION_KEY: 'sign-in',
  TOLLBOOK_X_OAUTH_CLIENT_ID: 'sign-in',
  TOLLBOOK_X_OAUTH_CLIENT_SECRET: 'sign-in',
  TOLLBOOK_X_OAUTH_ISSUER: 'sign-in',
  TOLLBOOK_X_OAUTH_TOKEN_URL: 'sign-in',
  TOLLBOOK_X_OAUTH_REDIRECT_URL: 'sign-in',
  TOLLBOOK_BROWSER_WS: 'utility',
  TOLLBOOK_GEO_ATTRIBUTION: 'utility',
  TOLLBOOK_EXTRACTION_TIER: 'utility',
  TOLLBOOK_SEARXNG_URL: 'search',
  TOLLBOOK_SEARCH_URL: 'search',
  TOLLBOOK_SEARCH_KEY: 'search',
  TOLLBOOK_LIBRETRANSLATE_URL: 'translation',
  TOLLBOOK_LIBRETRANSLATE_KEY: 'translation',
  TOLLBOOK_TRANSLATE_LLM_URL: 'translation',
  TOLLBOOK_TRANSLATE_LLM_MODEL: 'translation',
  TOLLBOOK_TRANSLATE_LLM_KEY: 'translation',
  TOLLBOOK_IMAGE_URL: 'images',
  TOLLBOOK_IMAGE_KEY: 'images',
  TOLLBOOK_IMAGE_MODEL: 'images',
  TOLLBOOK_IMAGE_SIZES: 'images',
  TOLLBOOK_MODELS_FILE: 'models',
  TOLLBOOK_WHISPER_FILE: 'transcripts',
  TOLLBOOK_TRANSCRIPTION_URL: 'transcripts',
  TOLLBOOK_TRANSCRIPTION_KEY: 'transcripts',
  TOLLBOOK_TRANSCRIPTION_MODEL: 'transcripts',
  TOLLBOOK_AZURE_SPEECH_URL: 'voices of Azure',
  TOLLBOOK_AZURE_SPEECH_KEY: 'voices of Azure',
  TOLLBOOK_GOOGLE_SPEECH_KEY: 'voices of Google',
  TOLLBOOK_POLLY_REGION: 'voices of Polly',
  TOLLBOOK_POLLY_URL: 'voices of Polly',
  TOLLBOOK_POLLY_ACCESS_KEY: 'voices of Polly',
  TOLLBOOK_POLLY_SECRET_KEY: 'voices of Polly',
  TOLLBOOK_POLLY_SESSION_TOKEN: 'voices of Polly',
  TOLLBOOK_ELEVENLABS_KEY: 'voices of ElevenLabs',
  TOLLBOOK_OPENAI_SPEECH_URL: 'voices of OpenAI',
  TOLLBOOK_OPENAI_SPEECH_KEY: 'voices of OpenAI',
  TOLLBOOK_OPENAI_SPEECH_VOICES: 'voices of OpenAI',
  TOLLBOOK_KOKORO_URL: 'voices of Kokoro',
  TOLLBOOK_KOKORO_KEY: 'voices of Kokoro',
  TOLLBOOK_PIPER_URL: 'voices of Piper',
}

const NAME = 'settings'

/** The unset settings of these parts, one line per purpose. Names only: values may be secrets. */
export function listSettings(config: Config, parts: readonly Part[]): readonly Finding[] {
  const names = Object.keys(PURPOSE_OF) as Optional[]
  const absent = Map.groupBy(
    names.filter((name) => config[name] === undefined),
    (name) => PURPOSE_OF[name],
  )
  const purposes = Object.keys(PURPOSES) as Purpose[]
  const used = purposes.filter((purpose) => parts.some((part) => isUsedBy(part, purpose)))
  const services = parts.filter(SOLD)
  const lines = [...new Set([...used, ...services])].flatMap((purpose): Finding[] => {
    const ofService = services.includes(purpose) ? listUnset(config, purpose) : []
    const missing = [...ofService, ...(absent.get(purpose as Purpose) ?? [])]
    if (missing.length === 0) return []
    return [{ verdict: 'ok', name: NAME, text: `not set, for ${purpose}: ${missing.join(', ')}` }]
  })
  const text =
    lines.length === 0
      ? 'known and readable'
      : 'known and readable; docs/settings.md describes those that are not set'
  return [{ verdict: 'ok', name: NAME, text }, ...lines]
}

function isUsedBy(part: Part, purpose: Purpose): boolean {
  const users: readonly Part[] | ((part: Part) => boolean) = PURPOSES[purpose]
  return typeof users === 'function' ? users(part) : users.includes(part)
}

/** The unset settings of a service. */
function listUnset(config: Config, service: string): readonly string[] {
  const set: readonly ServiceSuffix[] = config.services.get(service)?.set ?? []
  return OF_SERVICES.filter((suffix) => !set.includes(suffix)).map((suffix) =>
    serviceSetting(service, suffix),
  )
}
