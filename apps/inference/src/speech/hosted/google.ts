import { parseJson } from '@tollbook/flow/parse-json'
import type { FetchedAnswer } from '@tollbook/safe-fetch/fetched-answer'
import * as z from 'zod'
import { decodeWav, findWavSamples } from '../../sound/read-wav.ts'
import type { Spoken } from '../../sound/spoken.ts'
import { toPcm } from '../../sound/write-wav.ts'
import { type Gender, toLanguageTag, type Voice } from '../../voices/voice.ts'
import type { SpeechOrder } from '../speech-engine.ts'
import { type SpeechProvider, toProvider } from './speech-provider.ts'
import { askForSound, askForVoices, readSound, refusedText, type SpeechUpstream } from './speech-upstream.ts'
import { splitText } from './split-text.ts'

const PROVIDER = 'google'
/** https://cloud.google.com/text-to-speech/docs/reference/rest/v1/SynthesisInput */
const MAX_INPUT_BYTES = 5_000
const GENDERS: Readonly<Record<string, Gender>> = { FEMALE: 'female', MALE: 'male', NEUTRAL: 'neutral' }

/** https://cloud.google.com/text-to-speech/docs/reference/rest/v1/voices/list */
const listSchema = z.object({
  voices: z
    .array(
      z.object({
        name: z.string().min(1),
        languageCodes: z.array(z.string()).min(1),
        ssmlGender: z.string().default(''),
        naturalSampleRateHertz: z.int(),
      }),
    )
    .default([]),
})
/** https://cloud.google.com/text-to-speech/docs/reference/rest/v1/text/synthesize */
const soundSchema = z.object({ audioContent: z.base64() })
/** https://cloud.google.com/apis/design/errors */
const errorSchema = z.object({
  error: z.object({ details: z.array(z.object({ reason: z.string().optional() })).default([]) }),
})

/** @param upstream `https://texttospeech.googleapis.com`, with an API key that may use it */
export function createGoogle(upstream: SpeechUpstream & { readonly key: string }): SpeechProvider {
  const headers = { 'x-goog-api-key': upstream.key }
  async function ask(body: GoogleRequest, signal: AbortSignal): Promise<Spoken> {
    const answer = await askForSound(
      PROVIDER,
      upstream,
      {
        path: '/v1/text:synthesize',
        headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
        body: JSON.stringify(body),
        findRefusal,
      },
      signal,
    )
    const read = soundSchema.safeParse(parseJson(answer.body))
    const sound = Buffer.from(read.data?.audioContent ?? '', 'base64')
    const kind = body.audioConfig.audioEncoding === 'MP3' ? 'mp3' : 'wav'
    return readSound(PROVIDER, { ...answer, body: sound }, { kind })
  }
  return toProvider({
    provider: PROVIDER,
    // https://cloud.google.com/text-to-speech/docs/reference/rest/v1/AudioConfig; older voices took up to 4.
    speeds: { min: 0.25, max: 2 },
    async listVoices(signal) {
      const requested = { path: '/v1/voices', headers, schema: listSchema }
      const { voices } = await askForVoices(PROVIDER, upstream, requested, signal)
      return voices.filter(isWhole).map(toVoice)
    },
    async speak(order, signal) {
      const texts = splitText(order.text, MAX_INPUT_BYTES)
      const [only, ...others] = texts
      if (only !== undefined && others.length === 0) return await ask(toGoogleRequest(order, only), signal)
      const parts: Spoken[] = []
      for (const text of texts)
        parts.push(await ask(toGoogleRequest({ ...order, format: 'wav' }, text), signal))
      return join(parts)
    },
  })
}

type GoogleRequest = ReturnType<typeof toGoogleRequest>

/** A text is sent as text, in which nothing is markup. */
export function toGoogleRequest({ voice, speed, format }: Omit<SpeechOrder, 'text'>, text: string) {
  const name = voice.id.slice(`${PROVIDER}.`.length)
  return {
    input: { text: text.toWellFormed() },
    voice: { languageCode: LANGUAGE.exec(name)?.[0] ?? voice.language, name },
    audioConfig: {
      audioEncoding: format === 'mp3' ? ('MP3' as const) : ('LINEAR16' as const),
      ...(speed !== 1 && { speakingRate: speed }),
    },
  }
}

/** The prefix of a voice's name, such as `cmn-CN`; its canonical form, `zh-CN`, is not accepted. */
const LANGUAGE = /^[a-z]{2,3}(-[A-Z][a-z]{3})?-([A-Z]{2}|\d{3})(?=-)/

/** A wrong key is the operator's error, although it is also reported as 400. */
function findRefusal({ status, body }: FetchedAnswer) {
  if (status !== 400) return null
  const read = errorSchema.safeParse(parseJson(body))
  const isOfKey = read.data?.error.details.some(({ reason }) => reason?.startsWith('API_KEY'))
  return isOfKey ? null : refusedText(PROVIDER)
}

/** Voices whose names lack a language also need a model ("This voice requires a model name to be specified"). */
function isWhole({
  name,
  languageCodes,
}: {
  readonly name: string
  readonly languageCodes: readonly string[]
}) {
  return languageCodes.some((code) => name.toLowerCase().startsWith(`${code.toLowerCase()}-`))
}

function join(parts: readonly Spoken[]): Spoken {
  const sounds = parts.map(({ bytes }) => {
    const form = findWavSamples(bytes)
    return 'refusal' in form ? null : decodeWav(bytes, form)
  })
  const [first] = sounds
  const pcm = sounds.map((sound) => toPcm(sound?.samples ?? new Float32Array()))
  return { kind: 'pcm', sampleRate: first?.sampleRate ?? 0, bytes: Buffer.concat(pcm) }
}

function toVoice({ name, languageCodes, ssmlGender, naturalSampleRateHertz }: ListedVoice): Voice {
  const languages = languageCodes.map(toLanguageTag)
  return {
    id: `${PROVIDER}.${name}`,
    provider: PROVIDER,
    name,
    language: languages[0] ?? '',
    languages,
    gender: GENDERS[ssmlGender] ?? null,
    model: modelOf(name, languageCodes[0] ?? ''),
    sample_rate: naturalSampleRateHertz,
    hosted: false,
    styles: [],
    sample_url: null,
  }
}

type ListedVoice = z.output<typeof listSchema>['voices'][number]

/** `Neural2` of `en-US-Neural2-A`, `Chirp3-HD` of `en-US-Chirp3-HD-Achernar`. */
function modelOf(name: string, language: string): string | null {
  return name.slice(language.length + 1).replace(/-?[^-]+$/, '') || null
}
