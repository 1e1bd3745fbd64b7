import * as z from 'zod'
import { type Gender, toLanguageTag, type Voice } from '../../voices/voice.ts'
import type { SpeechOrder } from '../speech-engine.ts'
import { type SpeechProvider, toProvider } from './speech-provider.ts'
import { askForSound, askForVoices, readSound, refusedText, type SpeechUpstream } from './speech-upstream.ts'

const PROVIDER = 'elevenlabs'
/** https://elevenlabs.io/docs/api-reference/text-to-speech/convert: available to every account. */
const MP3_FORMAT = 'mp3_44100_128'
const MP3_RATE = 44_100
const PCM_FORMAT = 'pcm_24000'
const PCM_RATE = 24_000
const PAGE = 100
const MAX_PAGES = 100

const GENDERS: Readonly<Record<string, Gender>> = { female: 'female', male: 'male', neutral: 'neutral' }

/** https://elevenlabs.io/docs/api-reference/voices/search */
const listSchema = z.object({
  voices: z.array(
    z.object({
      voice_id: z.string().min(1),
      name: z.string(),
      labels: z.record(z.string(), z.string().nullish()).nullish(),
      preview_url: z.url().nullish().catch(null),
      verified_languages: z.array(z.object({ language: z.string(), locale: z.string().nullish() })).nullish(),
    }),
  ),
  has_more: z.boolean().default(false),
  next_page_token: z.string().nullish(),
})

type ElevenLabsUpstream = SpeechUpstream & { readonly key: string; readonly model: string }

/** @param upstream `https://api.elevenlabs.io`, with a key that may list voices and speak */
export function createElevenLabs(upstream: ElevenLabsUpstream): SpeechProvider {
  const headers = { 'xi-api-key': upstream.key }
  const { model } = upstream
  return toProvider({
    provider: PROVIDER,
    // https://elevenlabs.io/docs/capabilities/text-to-speech, "Speed"
    speeds: { min: 0.7, max: 1.2 },
    async listVoices(signal) {
      const voices: Voice[] = []
      let token = ''
      for (let page = 0; page < MAX_PAGES; page++) {
        const query = new URLSearchParams({ page_size: `${PAGE}`, ...(token && { next_page_token: token }) })
        const requested = { path: `/v2/voices?${query}`, headers, schema: listSchema }
        const answer = await askForVoices(PROVIDER, upstream, requested, signal)
        voices.push(...answer.voices.map((listed) => toVoice(listed, model)))
        token = answer.next_page_token ?? ''
        if (!answer.has_more || token === '') break
      }
      return voices
    },
    async speak(order, signal) {
      const isMp3 = order.format === 'mp3'
      const voice = encodeURIComponent(order.voice.id.slice(`${PROVIDER}.`.length))
      const answer = await askForSound(
        PROVIDER,
        upstream,
        {
          path: `/v1/text-to-speech/${voice}?output_format=${isMp3 ? MP3_FORMAT : PCM_FORMAT}`,
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(toElevenLabsRequest(order, model)),
          findRefusal: ({ status }) => (status === 400 || status === 422 ? refusedText(PROVIDER) : null),
        },
        signal,
      )
      return readSound(PROVIDER, answer, isMp3 ? { kind: 'mp3' } : { kind: 'pcm', sampleRate: PCM_RATE })
    },
  })
}

export function toElevenLabsRequest({ text, speed }: Pick<SpeechOrder, 'text' | 'speed'>, model: string) {
  return {
    text: text.toWellFormed(),
    model_id: model,
    // The other settings are the voice's own.
    ...(speed !== 1 && { voice_settings: { speed } }),
  }
}

function toVoice(listed: z.output<typeof listSchema>['voices'][number], model: string): Voice {
  const { labels, verified_languages } = listed
  const verified = (verified_languages ?? []).map(({ language, locale }) => locale ?? language)
  // BCP 47 has `und` for an undetermined language.
  const reported = verified.length > 0 ? verified : [labels?.language ?? 'und']
  const languages = [...new Set(reported.map(toLanguageTag))]
  return {
    id: `${PROVIDER}.${listed.voice_id}`,
    provider: PROVIDER,
    name: listed.name,
    language: languages[0] ?? 'und',
    languages,
    gender: GENDERS[labels?.gender ?? ''] ?? null,
    model,
    sample_rate: MP3_RATE,
    hosted: false,
    styles: [labels?.description ?? labels?.descriptive ?? []].flat(),
    sample_url: listed.preview_url ?? null,
  }
}
