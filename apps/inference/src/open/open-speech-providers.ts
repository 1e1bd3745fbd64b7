import { ConfigError } from '@tollbook/flow/config-error'
import type { Config } from '@tollbook/runtime/config'
import { createUpstreamFetch } from '@tollbook/runtime/places/outside'
import { createAzure } from '../speech/hosted/azure.ts'
import { createElevenLabs } from '../speech/hosted/elevenlabs.ts'
import { createGoogle } from '../speech/hosted/google.ts'
import { createKokoro } from '../speech/hosted/kokoro.ts'
import { createOpenAi } from '../speech/hosted/openai.ts'
import { createPiper } from '../speech/hosted/piper.ts'
import { createPolly } from '../speech/hosted/polly.ts'
import type { SpeechProvider } from '../speech/hosted/speech-provider.ts'
import { SPEECH_TIMEOUT_MS } from '../speech/hosted/speech-upstream.ts'

const SPEECHES_AT_A_TIME = 8
const OPENAI_URL = 'https://api.openai.com/v1'

/** The configured voice providers. @throws ConfigError that names the missing settings of one */
export function openSpeechProviders(config: Config, baseUrl: string): readonly SpeechProvider[] {
  const missing = findMissing(config)
  if (missing.length > 0) throw new ConfigError(missing)
  // Some answer only when the whole text is synthesized.
  const limits = { perHost: SPEECHES_AT_A_TIME, headersMs: SPEECH_TIMEOUT_MS, idleMs: 30_000 }
  const fetch = createUpstreamFetch(config, baseUrl, limits)
  return [
    openAzure(config, (url, key) => createAzure({ url, fetch, key })),
    config.TOLLBOOK_GOOGLE_SPEECH_KEY &&
      createGoogle({ url: config.TOLLBOOK_GOOGLE_SPEECH_URL, fetch, key: config.TOLLBOOK_GOOGLE_SPEECH_KEY }),
    openPolly(config, (polly) => createPolly({ ...polly, fetch })),
    config.TOLLBOOK_ELEVENLABS_KEY &&
      createElevenLabs({
        url: config.TOLLBOOK_ELEVENLABS_URL,
        fetch,
        key: config.TOLLBOOK_ELEVENLABS_KEY,
        model: config.TOLLBOOK_ELEVENLABS_MODEL,
      }),
    (config.TOLLBOOK_OPENAI_SPEECH_URL ?? config.TOLLBOOK_OPENAI_SPEECH_KEY) &&
      createOpenAi({
        url: config.TOLLBOOK_OPENAI_SPEECH_URL ?? OPENAI_URL,
        fetch,
        key: config.TOLLBOOK_OPENAI_SPEECH_KEY,
        model: config.TOLLBOOK_OPENAI_SPEECH_MODEL,
        voices: config.TOLLBOOK_OPENAI_SPEECH_VOICES,
      }),
    config.TOLLBOOK_KOKORO_URL &&
      createKokoro({ url: config.TOLLBOOK_KOKORO_URL, fetch, key: config.TOLLBOOK_KOKORO_KEY }),
    config.TOLLBOOK_PIPER_URL && createPiper({ url: config.TOLLBOOK_PIPER_URL, fetch }),
  ].flatMap((provider) => provider || [])
}

function openAzure(config: Config, open: (url: string, key: string) => SpeechProvider) {
  const { TOLLBOOK_AZURE_SPEECH_URL: url, TOLLBOOK_AZURE_SPEECH_KEY: key } = config
  return url && key ? open(url, key) : []
}

function openPolly(config: Config, open: (polly: Omit<Polly, 'fetch'>) => SpeechProvider) {
  const { TOLLBOOK_POLLY_REGION: region, TOLLBOOK_POLLY_ACCESS_KEY: accessKey } = config
  const { TOLLBOOK_POLLY_SECRET_KEY: secretKey, TOLLBOOK_POLLY_SESSION_TOKEN: sessionToken } = config
  if (!region || !accessKey || !secretKey) return []
  const url = config.TOLLBOOK_POLLY_URL ?? `https://polly.${region}.amazonaws.com`
  return open({ region, url, credentials: { accessKey, secretKey, sessionToken } })
}

type Polly = Parameters<typeof createPolly>[0]

/** Settings that must be set together. */
const TOGETHER = [
  ['TOLLBOOK_AZURE_SPEECH_URL', 'TOLLBOOK_AZURE_SPEECH_KEY'],
  ['TOLLBOOK_POLLY_REGION', 'TOLLBOOK_POLLY_ACCESS_KEY', 'TOLLBOOK_POLLY_SECRET_KEY'],
] as const satisfies readonly (keyof Config)[][]

function findMissing(config: Config): readonly string[] {
  return TOGETHER.filter((names) => names.some((name) => config[name])).flatMap((names) =>
    names
      .filter((name) => !config[name])
      .map((name) => `${name}: required with ${names.find((set) => config[set])}`),
  )
}
