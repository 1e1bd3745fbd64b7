import { type Config, ConfigError } from '../../config.ts'
import { createSafeFetch } from '../../fetching/safe-fetch.ts'
import { createAzure } from '../../inference/speech/hosted/azure.ts'
import { createElevenLabs } from '../../inference/speech/hosted/elevenlabs.ts'
import { createGoogle } from '../../inference/speech/hosted/google.ts'
import { createKokoro } from '../../inference/speech/hosted/kokoro.ts'
import { createOpenAi } from '../../inference/speech/hosted/openai.ts'
import { createPiper } from '../../inference/speech/hosted/piper.ts'
import { createPolly } from '../../inference/speech/hosted/polly.ts'
import type { SpeechProvider } from '../../inference/speech/hosted/speech-provider.ts'
import { SPEECH_TIMEOUT_MS } from '../../inference/speech/hosted/speech-upstream.ts'
import { outsideOptions } from './outside.ts'

const SPEECHES_AT_A_TIME = 8
const OPENAI_URL = 'https://api.openai.com/v1'

/**
 * The providers of voices that the operator has set up.
 * @throws ConfigError that names what is missing beside what is set
 */
export function openSpeechProviders(config: Config, baseUrl: string): readonly SpeechProvider[] {
  const fetch = createSafeFetch({
    ...outsideOptions(config, baseUrl),
    // The operator names the providers, which may well run beside the service.
    allowPrivateNetwork: true,
    refusedHosts: new Set(),
    // Some answer when all is spoken.
    limits: { perHost: SPEECHES_AT_A_TIME, headersMs: SPEECH_TIMEOUT_MS, idleMs: 30_000 },
  })
  return [
    openAzure(config, (url, key) => createAzure({ url, fetch, key })),
    config.TOLLBOOK_GOOGLE_SPEECH_KEY &&
      createGoogle({ url: config.TOLLBOOK_GOOGLE_SPEECH_URL, fetch, key: config.TOLLBOOK_GOOGLE_SPEECH_KEY }),
    openPolly(config, (polly) => createPolly({ ...polly, fetch })),
    config.TOLLBOOK_ELEVENLABS_KEY &&
      createElevenLabs({
        ...{ url: config.TOLLBOOK_ELEVENLABS_URL, fetch, key: config.TOLLBOOK_ELEVENLABS_KEY },
        model: config.TOLLBOOK_ELEVENLABS_MODEL,
      }),
    (config.TOLLBOOK_OPENAI_SPEECH_URL ?? config.TOLLBOOK_OPENAI_SPEECH_KEY) &&
      createOpenAi({
        ...{ url: config.TOLLBOOK_OPENAI_SPEECH_URL ?? OPENAI_URL, fetch },
        ...{ key: config.TOLLBOOK_OPENAI_SPEECH_KEY, model: config.TOLLBOOK_OPENAI_SPEECH_MODEL },
        voices: config.TOLLBOOK_OPENAI_SPEECH_VOICES,
      }),
    config.TOLLBOOK_KOKORO_URL &&
      createKokoro({ url: config.TOLLBOOK_KOKORO_URL, fetch, key: config.TOLLBOOK_KOKORO_KEY }),
    config.TOLLBOOK_PIPER_URL && createPiper({ url: config.TOLLBOOK_PIPER_URL, fetch }),
  ].flatMap((provider) => provider || [])
}

function openAzure(config: Config, open: (url: string, key: string) => SpeechProvider) {
  const { TOLLBOOK_AZURE_SPEECH_URL: url, TOLLBOOK_AZURE_SPEECH_KEY: key } = config
  if (!url && !key) return []
  return open(needed('TOLLBOOK_AZURE_SPEECH_URL', url), needed('TOLLBOOK_AZURE_SPEECH_KEY', key))
}

function openPolly(config: Config, open: (polly: Omit<Polly, 'fetch'>) => SpeechProvider) {
  const { TOLLBOOK_POLLY_ACCESS_KEY: accessKey, TOLLBOOK_POLLY_SECRET_KEY: secretKey } = config
  if (!accessKey && !secretKey) return []
  const region = needed('TOLLBOOK_POLLY_REGION', config.TOLLBOOK_POLLY_REGION)
  return open({
    region,
    url: config.TOLLBOOK_POLLY_URL ?? `https://polly.${region}.amazonaws.com`,
    credentials: {
      accessKey: needed('TOLLBOOK_POLLY_ACCESS_KEY', accessKey),
      secretKey: needed('TOLLBOOK_POLLY_SECRET_KEY', secretKey),
      sessionToken: config.TOLLBOOK_POLLY_SESSION_TOKEN,
    },
  })
}

type Polly = Parameters<typeof createPolly>[0]

function needed(name: string, value: string | undefined): string {
  if (value === undefined) throw new ConfigError([`${name}: is needed with the others of its provider`])
  return value
}
