import type { FetchedAnswer } from '@tollbook/safe-fetch/fetched-answer'
import * as z from 'zod'
import type { Voice } from '../../voices/voice.ts'
import { listNames } from './listed-names.ts'
import { bearerOf, createDialectSpeech, DIALECT_RATE, type DialectUpstream } from './speech-of-dialect.ts'
import type { SpeechProvider } from './speech-provider.ts'
import { askForVoices, isOnThisMachine } from './speech-upstream.ts'

const PROVIDER = 'openai'
const OPENAI_HOST = 'api.openai.com'

/** https://platform.openai.com/docs/guides/text-to-speech#voice-options */
const NAMES_OF_ALL = ['alloy', 'ash', 'coral', 'echo', 'fable', 'nova', 'onyx', 'sage', 'shimmer']
const NAMES_OF_THE_NEWER = ['ballad', 'cedar', 'marin', 'verse']
const OLDER_MODELS = new Set(['tts-1', 'tts-1-hd'])

type OpenAiUpstream = DialectUpstream & {
  /** Names of its voices; if absent, the upstream is queried, or the voices that OpenAI documents are used. */
  readonly voices?: readonly string[] | undefined
}

/** @param upstream any server of the chat dialect, such as `https://api.openai.com/v1` */
export function createOpenAi(upstream: OpenAiUpstream): SpeechProvider {
  const isOpenAi = new URL(upstream.url).hostname === OPENAI_HOST
  const documented = OLDER_MODELS.has(upstream.model)
    ? NAMES_OF_ALL
    : [...NAMES_OF_ALL, ...NAMES_OF_THE_NEWER]
  return createDialectSpeech({
    provider: PROVIDER,
    upstream,
    async listVoices(signal) {
      const known = upstream.voices ?? (isOpenAi ? documented : null)
      if (known) await checkKey(upstream, signal)
      const names = known ?? (await listNames(PROVIDER, upstream, signal))
      return names.map((name) => toVoice(name, upstream))
    },
  })
}

/** OpenAI lists no voices; its list of models shows whether it is reachable and accepts the key. */
async function checkKey(upstream: OpenAiUpstream, signal: AbortSignal): Promise<void> {
  let status = 200
  const findRefusal = (answer: FetchedAnswer) => {
    status = answer.status
    return null
  }
  const requested = { path: '/models', headers: bearerOf(upstream), schema: z.unknown(), findRefusal }
  try {
    await askForVoices(PROVIDER, upstream, requested, signal)
  } catch (error) {
    // A key for speech alone may not list models, and not every server has the path.
    if (status !== 403 && status !== 404) throw error
  }
}

function toVoice(name: string, upstream: OpenAiUpstream): Voice {
  return {
    id: `${PROVIDER}.${name}`,
    provider: PROVIDER,
    name,
    // "The voices are currently optimized for English."
    language: 'en',
    languages: ['en'],
    gender: null,
    model: upstream.model,
    sample_rate: DIALECT_RATE,
    hosted: isOnThisMachine(upstream),
    styles: [],
    sample_url: null,
  }
}
