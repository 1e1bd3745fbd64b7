import type { FetchedAnswer } from '@tollbook/safe-fetch/fetched-answer'
import type { Voice } from '../../voices/voice.ts'
import type { SpeechOrder } from '../speech-engine.ts'
import { type SpeechProvider, toProvider } from './speech-provider.ts'
import { askForSound, readSound, refusedText, type SpeechUpstream } from './speech-upstream.ts'

/** `pcm` of the dialect (https://platform.openai.com/docs/guides/text-to-speech, "Supported output formats"). */
export const DIALECT_RATE = 24_000

export type DialectUpstream = SpeechUpstream & {
  /** A bearer token, if the upstream requires one. */
  readonly key?: string | undefined
  readonly model: string
}

type Options = {
  readonly provider: string
  readonly upstream: DialectUpstream
  /** Fields of this upstream besides those of the dialect. */
  readonly more?: Readonly<Record<string, unknown>>
  readonly listVoices: (signal: AbortSignal) => Promise<readonly Voice[]>
}

/** A provider that speaks by `POST <url>/audio/speech` of the chat dialect. */
export function createDialectSpeech({ provider, upstream, more = {}, listVoices }: Options): SpeechProvider {
  const findRefusal = ({ status }: FetchedAnswer) =>
    status === 400 || status === 422 ? refusedText(provider) : null
  return toProvider({
    provider,
    // https://platform.openai.com/docs/api-reference/audio/createSpeech
    speeds: { min: 0.25, max: 4 },
    listVoices,
    async speak(order, signal) {
      const body = JSON.stringify({ ...toDialectRequest(provider, order, upstream.model), ...more })
      const headers = { ...bearerOf(upstream), 'content-type': 'application/json' }
      const requested = { path: '/audio/speech', headers, body, findRefusal }
      const answer = await askForSound(provider, upstream, requested, signal)
      const { format } = order
      return readSound(
        provider,
        answer,
        format === 'pcm' ? { kind: format, sampleRate: DIALECT_RATE } : { kind: format },
      )
    },
  })
}

export function bearerOf({ key }: Pick<DialectUpstream, 'key'>): Readonly<Record<string, string>> {
  return key === undefined ? {} : { authorization: `Bearer ${key}` }
}

export function toDialectRequest(
  provider: string,
  { voice, text, speed, format }: SpeechOrder,
  model: string,
) {
  return {
    model,
    input: text.toWellFormed(),
    voice: voice.id.slice(`${provider}.`.length),
    response_format: format,
    ...(speed !== 1 && { speed }),
  }
}
