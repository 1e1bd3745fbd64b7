import * as z from 'zod'
import type { SpeechFormat } from '../../sound/spoken.ts'
import { type Gender, toLanguageTag, type Voice } from '../../voices/voice.ts'
import type { SpeechOrder } from '../speech-engine.ts'
import { type SpeechProvider, toProvider } from './speech-provider.ts'
import { askForSound, askForVoices, readSound, refusedText, type SpeechUpstream } from './speech-upstream.ts'
import { escapeSsml } from './write-ssml.ts'

const PROVIDER = 'azure'
const RATE = 24_000
/** https://learn.microsoft.com/azure/ai-services/speech-service/rest-text-to-speech#audio-outputs */
const FORMATS = {
  mp3: 'audio-24khz-96kbitrate-mono-mp3',
  wav: 'riff-24khz-16bit-mono-pcm',
  pcm: 'raw-24khz-16bit-mono-pcm',
} as const satisfies Record<SpeechFormat, string>
/** Longer speech is cut off (the same page, "Sample request"). */
const CUT_AT_SECONDS = 600

const GENDERS: Readonly<Record<string, Gender>> = { Female: 'female', Male: 'male', Neutral: 'neutral' }

/** The same page, "Sample response". */
const listSchema = z.array(
  z.object({
    ShortName: z.string().min(1),
    DisplayName: z.string(),
    Gender: z.string(),
    Locale: z.string(),
    SecondaryLocaleList: z.array(z.string()).default([]),
    StyleList: z.array(z.string()).default([]),
    SampleRateHertz: z.coerce.number().int(),
    VoiceType: z.string(),
    Status: z.string(),
  }),
)

/** @param upstream `https://<region>.tts.speech.microsoft.com`, or a resource's own address */
export function createAzure(upstream: SpeechUpstream & { readonly key: string }): SpeechProvider {
  const headers = { 'ocp-apim-subscription-key': upstream.key }
  return toProvider({
    provider: PROVIDER,
    // https://learn.microsoft.com/azure/ai-services/speech-service/speech-synthesis-markup-voice#adjust-prosody
    speeds: { min: 0.5, max: 2 },
    async listVoices(signal) {
      const path = '/cognitiveservices/voices/list'
      const voices = await askForVoices(PROVIDER, upstream, { path, headers, schema: listSchema }, signal)
      return voices.filter(({ Status }) => Status !== 'Deprecated').map(toVoice)
    },
    async speak(order, signal) {
      const { format } = order
      const answer = await askForSound(
        PROVIDER,
        upstream,
        {
          path: '/cognitiveservices/v1',
          headers: {
            ...headers,
            'content-type': 'application/ssml+xml',
            'x-microsoft-outputformat': FORMATS[format],
          },
          body: toAzureSsml(order),
          findRefusal: ({ status }) => (status === 400 ? refusedText(PROVIDER) : null),
        },
        signal,
      )
      const wanted = format === 'pcm' ? { kind: format, sampleRate: RATE } : { kind: format }
      return { ...readSound(PROVIDER, answer, wanted), cutAtSeconds: CUT_AT_SECONDS }
    },
  })
}

/** The document that makes Azure speak a text, and only the text. */
export function toAzureSsml({ voice, text, speed }: Pick<SpeechOrder, 'voice' | 'text' | 'speed'>): string {
  const words = escapeSsml(text)
  // Relative, with its sign: without one, `30%` means +30 %, contrary to SSML 1.1.
  const percent = (speed - 1) * 100
  const rate = `${percent < 0 ? '' : '+'}${percent.toFixed(2)}%`
  const spoken = speed === 1 ? words : `<prosody rate="${rate}">${words}</prosody>`
  const name = escapeSsml(voice.id.slice(`${PROVIDER}.`.length))
  return `<speak version="1.0" xmlns="http://www.w3.org/2001/10/synthesis" xml:lang="${escapeSsml(voice.language)}"><voice name="${name}">${spoken}</voice></speak>`
}

function toVoice(listed: z.output<typeof listSchema>[number]): Voice {
  const languages = [...new Set([listed.Locale, ...listed.SecondaryLocaleList].map(toLanguageTag))]
  return {
    id: `${PROVIDER}.${listed.ShortName}`,
    provider: PROVIDER,
    name: listed.DisplayName,
    language: languages[0] ?? listed.Locale,
    languages,
    gender: GENDERS[listed.Gender] ?? null,
    model: listed.VoiceType,
    // The requested format; the voice's native rate may be higher.
    sample_rate: RATE,
    hosted: false,
    styles: listed.StyleList,
    sample_url: null,
  }
}
