import type { SafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { askUpstreamJson } from '@tollbook/upstream/ask-upstream'
import * as z from 'zod'
import { HEARD_RATE } from '../sound/decode-recording.ts'
import { toWav } from '../sound/write-wav.ts'
import type { Transcriber, TranscriptionOrder } from './transcriber.ts'

export type TranscriptionUpstream = {
  /** Without a trailing slash; `/audio/transcriptions` follows. */
  readonly url: string
  /** Client for the upstream, which may be in a private network; its timeout fits five minutes of speech. */
  readonly fetch: SafeFetch
  readonly key?: string | undefined
  readonly model?: string | undefined
}

const NAME = 'transcription upstream'
export const TRANSCRIPTION_TIMEOUT_MS = 240_000
/** Five minutes of speech with each word in JSON are some 200 kB. */
const MAX_BYTES = 8_000_000

const time = z.number().min(0)
/** https://platform.openai.com/docs/api-reference/audio/verbose-json-object; servers omit members, or send null. */
const answerSchema = z.object({
  text: z.string(),
  language: z.string().nullish(),
  segments: z
    .array(
      z.object({
        start: time,
        end: time,
        text: z.string(),
        seek: z.int().nullish(),
        tokens: z.array(z.int()).nullish(),
        temperature: z.number().nullish(),
        avg_logprob: z.number().nullish(),
        compression_ratio: z.number().nullish(),
        no_speech_prob: z.number().nullish(),
      }),
    )
    .nullish(),
  words: z.array(z.object({ word: z.string(), start: time, end: time })).nullish(),
})

/** Transcribes by `POST <url>/audio/transcriptions` of the chat dialect, as OpenAI, vLLM and speaches have it. */
export function createHttpTranscriber({ url, fetch, key, model }: TranscriptionUpstream): Transcriber {
  return {
    engine: 'http',
    languages: null,
    async transcribe(order, signal) {
      const form = new Response(toForm(order, model))
      const { text, language, segments, words } = await askUpstreamJson(
        fetch,
        {
          method: 'POST',
          url: `${url}/audio/transcriptions`,
          headers: {
            'content-type': form.headers.get('content-type') ?? '',
            ...(key !== undefined && { authorization: `Bearer ${key}` }),
          },
          body: new Uint8Array(await form.arrayBuffer()),
          maxBytes: MAX_BYTES,
          timeoutMs: TRANSCRIPTION_TIMEOUT_MS,
          name: NAME,
          schema: answerSchema,
          expected: 'a transcript',
        },
        signal,
      )
      const whole = { start: 0, end: order.recording.seconds, text }
      return {
        text: text.trim(),
        language: language?.toLowerCase() ?? null,
        // An upstream without segments still gives subtitles: one for the whole recording.
        segments: segments?.map(withoutNull) ?? (text.trim() === '' ? [] : [whole]),
        words: words ?? [],
      }
    },
  }
}

function toForm(
  { recording, language, prompt, temperature, needsWords }: TranscriptionOrder,
  model?: string,
) {
  const form = new FormData()
  const wav = toWav(recording.pcm, HEARD_RATE)
  form.set('file', new File([wav], 'recording.wav', { type: 'audio/wav' }))
  form.set('response_format', 'verbose_json')
  form.append('timestamp_granularities[]', 'segment')
  if (needsWords) form.append('timestamp_granularities[]', 'word')
  if (model !== undefined) form.set('model', model)
  if (language !== null) form.set('language', language)
  if (prompt !== null) form.set('prompt', prompt)
  if (temperature !== null) form.set('temperature', `${temperature}`)
  return form
}

function withoutNull<Shape extends object>(
  shape: Shape,
): { [Key in keyof Shape]: Exclude<Shape[Key], null> } {
  // Only members with null are removed, which the type reflects.
  return Object.fromEntries(Object.entries(shape).filter(([, value]) => value !== null)) as never
}
