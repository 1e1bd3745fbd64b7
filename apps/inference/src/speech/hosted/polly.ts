import { parseJson } from '@tollbook/flow/parse-json'
import type { Problem } from '@tollbook/http/problem'
import type { FetchedAnswer } from '@tollbook/safe-fetch/fetched-answer'
import * as z from 'zod'
import { type Gender, toLanguageTag, type Voice } from '../../voices/voice.ts'
import type { SpeechOrder } from '../speech-engine.ts'
import { type AwsCredentials, signAwsRequest } from './sign-aws-request.ts'
import { type SpeechProvider, toProvider } from './speech-provider.ts'
import {
  askForSound,
  askForVoices,
  readSound,
  refusedText,
  type SpeechUpstream,
  tooManyCalls,
} from './speech-upstream.ts'
import { escapeSsml } from './write-ssml.ts'

const PROVIDER = 'polly'
/** https://docs.aws.amazon.com/polly/latest/dg/API_SynthesizeSpeech.html: the max of pcm. */
const PCM_RATE = 16_000
/** The same page: the default of mp3. */
const RATES: Readonly<Record<string, number>> = { standard: 22_050 }
const OTHER_RATE = 24_000
/** Pages of voices, of some hundred each. */
const MAX_PAGES = 20
const GENDERS: Readonly<Record<string, Gender>> = { Female: 'female', Male: 'male' }

/** https://docs.aws.amazon.com/polly/latest/dg/API_DescribeVoices.html */
const listSchema = z.object({
  Voices: z.array(
    z.object({
      Id: z.string().min(1),
      Name: z.string(),
      Gender: z.string(),
      LanguageCode: z.string(),
      AdditionalLanguageCodes: z.array(z.string()).nullish(),
      SupportedEngines: z.array(z.string()).nullish(),
    }),
  ),
  NextToken: z.string().nullish(),
})
const errorSchema = z.object({ __type: z.string() })

export type PollyUpstream = SpeechUpstream & {
  readonly region: string
  readonly credentials: AwsCredentials
  readonly now?: () => Date
}

/** @param upstream `https://polly.<region>.amazonaws.com`, with credentials that may DescribeVoices and SynthesizeSpeech */
export function createPolly(upstream: PollyUpstream): SpeechProvider {
  const { url, region, credentials, now = () => new Date() } = upstream
  const sign = (method: 'GET' | 'POST', path: string, body?: string) =>
    signAwsRequest(
      {
        method,
        url: `${url}${path}`,
        ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
      },
      credentials,
      { region, service: 'polly', now: now() },
    )
  return toProvider({
    provider: PROVIDER,
    // https://docs.aws.amazon.com/polly/latest/dg/prosody-tag.html: 20 % to 200 %; the sold range begins at 0.25.
    speeds: { min: 0.25, max: 2 },
    async listVoices(signal) {
      const voices: Voice[] = []
      let token: string | null | undefined
      for (let page = 0; page < MAX_PAGES; page++) {
        const path = token ? `/v1/voices?NextToken=${encodeURIComponent(token)}` : '/v1/voices'
        const requested = { path, headers: await sign('GET', path), schema: listSchema }
        const { Voices, NextToken } = await askForVoices(PROVIDER, upstream, requested, signal)
        voices.push(...Voices.flatMap(toVoices))
        token = NextToken
        if (!token) break
      }
      return voices
    },
    async speak(order, signal) {
      const path = '/v1/speech'
      const body = JSON.stringify(toPollyRequest(order))
      const requested = { path, headers: await sign('POST', path, body), body, findRefusal }
      const answer = await askForSound(PROVIDER, upstream, requested, signal)
      return readSound(
        PROVIDER,
        answer,
        order.format === 'mp3' ? { kind: 'mp3' } : { kind: 'pcm', sampleRate: PCM_RATE },
      )
    },
  })
}

/** A text is sent as text, unless its speed needs markup around it. */
export function toPollyRequest({ voice, text, speed, format }: SpeechOrder) {
  const [, engine = '', name = ''] = voice.id.split('.')
  const rate = `${Math.round(speed * 100)}%`
  return {
    Engine: engine,
    VoiceId: name,
    ...(format === 'mp3' ? { OutputFormat: 'mp3' } : { OutputFormat: 'pcm', SampleRate: `${PCM_RATE}` }),
    ...(speed === 1
      ? { TextType: 'text', Text: text.toWellFormed() }
      : {
          TextType: 'ssml',
          Text: `<speak><prosody rate="${rate}">${escapeSsml(text)}</prosody></speak>`,
        }),
  }
}

/**
 * The same page, "Errors": those that a text or its voice causes; and, for all services, those that too many
 * calls cause.
 */
const OF_THE_TEXT = /^(TextLengthExceeded|InvalidSsml|EngineNotSupported|LanguageNotSupported)Exception/
const OF_TOO_MANY = /^(Throttling|TooManyRequests)/

function findRefusal({ status, headers, body }: FetchedAnswer): Problem | null {
  if (status !== 400) return null
  const type = headers['x-amzn-errortype'] ?? errorSchema.safeParse(parseJson(body)).data?.__type ?? ''
  // As `name:url`, or as `namespace#name`.
  const name = type.slice(type.indexOf('#') + 1)
  if (OF_TOO_MANY.test(name)) return tooManyCalls(PROVIDER)
  return OF_THE_TEXT.test(name) ? refusedText(PROVIDER) : null
}

/** A voice of several engines is several voices: they sound, and cost, differently. */
function toVoices(listed: z.output<typeof listSchema>['Voices'][number]): readonly Voice[] {
  const languages = [listed.LanguageCode, ...(listed.AdditionalLanguageCodes ?? [])].map(toLanguageTag)
  return (listed.SupportedEngines ?? ['standard']).map((engine) => ({
    id: `${PROVIDER}.${engine}.${listed.Id}`,
    provider: PROVIDER,
    name: listed.Name,
    language: languages[0] ?? listed.LanguageCode,
    languages,
    gender: GENDERS[listed.Gender] ?? null,
    model: engine,
    sample_rate: RATES[engine] ?? OTHER_RATE,
    hosted: false,
    styles: [],
    sample_url: null,
  }))
}
