import type { Gender, Voice } from '../../voices/voice.ts'
import { listNames } from './listed-names.ts'
import { createDialectSpeech, DIALECT_RATE, type DialectUpstream } from './speech-of-dialect.ts'
import type { SpeechProvider } from './speech-provider.ts'
import { isOnThisMachine } from './speech-upstream.ts'

const PROVIDER = 'kokoro'
const MODEL = 'kokoro'

/** The first letter of a voice's name (https://huggingface.co/hexgrad/Kokoro-82M/blob/main/VOICES.md). */
const LANGUAGES: Readonly<Record<string, string>> = {
  a: 'en-US',
  b: 'en-GB',
  e: 'es',
  f: 'fr-FR',
  h: 'hi',
  i: 'it',
  j: 'ja',
  p: 'pt-BR',
  z: 'zh',
}
const GENDERS: Readonly<Record<string, Gender>> = { f: 'female', m: 'male' }

/** @param upstream a server of the chat dialect with the voices of Kokoro, such as `http://127.0.0.1:8880/v1` */
export function createKokoro(upstream: Omit<DialectUpstream, 'model'>): SpeechProvider {
  const whole = { ...upstream, model: MODEL }
  return createDialectSpeech({
    provider: PROVIDER,
    upstream: whole,
    // Otherwise it answers before synthesis, and a failure cuts the answer off.
    more: { stream: false },
    listVoices: async (signal) =>
      (await listNames(PROVIDER, whole, signal)).map((name) => toVoice(name, isOnThisMachine(upstream))),
  })
}

function toVoice(name: string, hosted: boolean): Voice {
  const [, first = '', second = '', own = name] = /^(.)(.)_(.+)$/.exec(name) ?? []
  const language = LANGUAGES[first] ?? 'und'
  return {
    id: `${PROVIDER}.${name}`,
    provider: PROVIDER,
    name: own,
    language,
    languages: [language],
    gender: GENDERS[second] ?? null,
    model: MODEL,
    sample_rate: DIALECT_RATE,
    hosted,
    styles: [],
    sample_url: null,
  }
}
