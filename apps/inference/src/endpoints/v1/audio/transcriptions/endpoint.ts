import { bytes, json } from '@tollbook/endpoints/answer'
import { type Address, type Availability, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import { ProblemError } from '@tollbook/http/problem'
import * as z from 'zod'
import type { InferencePorts } from '../../../../ports.ts'
import { chargeOfSeconds, MIN_CHARGE_USD } from '../../../../price.ts'
import { isWithoutSpeech } from '../../../../sound/find-silence.ts'
import { recordingKindOf } from '../../../../sound/recording-kind.ts'
import { hasSpeech } from '../../../../transcription/has-speech.ts'
import { openRecording } from '../../../../transcription/open-recording.ts'
import type { TranscriptionDesk } from '../../../../transcription/transcription-desk.ts'
import { toSrt, toVerbose, toVtt } from '../../../../transcription/write-transcript.ts'
import { TRANSCRIPTION_EXAMPLE } from './example.ts'
import { findIssues, MAX_FILE_BYTES, type TranscriptionInput, transcriptionInput } from './find-issues.ts'

const times = { start: z.number().describe('Seconds.'), end: z.number().describe('Seconds.') }

const output = z.object({
  text: z.string(),
  usage: z.object({ type: z.literal('duration'), seconds: z.int() }).describe('Whole seconds, rounded up.'),
  engine: z.enum(['http', 'whisper']),
  task: z.literal('transcribe').optional().describe('This and the following members: verbose_json only.'),
  language: z.string().optional().describe('Its English name in lower case, if the engine reports it.'),
  duration: z.number().optional().describe('Seconds of the recording, by its samples.'),
  segments: z
    .array(
      z.object({
        id: z.int(),
        seek: z.int().optional(),
        ...times,
        text: z.string(),
        tokens: z.array(z.int()).optional(),
        temperature: z.number().optional(),
        avg_logprob: z.number().optional(),
        compression_ratio: z.number().optional(),
        no_speech_prob: z.number().optional(),
      }),
    )
    .optional(),
  words: z.array(z.object({ word: z.string(), ...times })).optional(),
})

const RETRY_AFTER_SECONDS = 15

export const transcriptions = defineEndpoint({
  id: 'audio.transcriptions',
  method: 'POST',
  effect: 'none',
  path: '/v1/audio/transcriptions',
  pricing: { kind: 'metered', priceUsd: '0.015', minimumUsd: MIN_CHARGE_USD, isExactFirst: true },
  summary: 'Speech to text',
  description:
    'Multipart speech-to-text of WAV or mp3, up to 5 minutes and 12 MB, as json, text, srt, vtt or verbose_json with timestamps of segments and words.',
  accepts: 'multipart',
  input: transcriptionInput,
  output,
  example: TRANSCRIPTION_EXAMPLE,
  // The file, and the form around it.
  limits: { bodyBytes: MAX_FILE_BYTES + 65_536, timeoutMs: 300_000 },
  dialect: 'chat',
  availability: ({ transcription }: InferencePorts) => availabilityOf(transcription),
  check: findIssues,
  async handle({ input, files, ports, signal }: Call<TranscriptionInput, InferencePorts, Address>) {
    const { transcription, workers } = ports
    const file = files.get('file')
    const kind = file && recordingKindOf(file.bytes)
    if (!transcription || !kind) throw new Error('it was checked')
    const { transcriber, programs } = transcription
    const recording = await openRecording({ bytes: file.bytes, kind }, { workers, programs }, signal)
    if (isWithoutSpeech(recording)) throw new ProblemError(NO_SPEECH)
    const requested = [input.timestamp_granularities ?? [], input['timestamp_granularities[]'] ?? []].flat()
    const granularities = new Set(requested)
    const transcript = await transcriber.transcribe(
      {
        recording,
        language: input.language ?? null,
        prompt: input.prompt ?? null,
        temperature: input.temperature ?? null,
        needsWords: granularities.has('word'),
      },
      signal,
    )
    if (!hasSpeech(transcript)) throw new ProblemError(NO_SPEECH)
    const { seconds } = recording
    const charge = chargeOfSeconds(seconds)
    const { engine } = transcriber
    const toText = (text: string, contentType: string) =>
      bytes(new TextEncoder().encode(text), `${contentType}; charset=utf-8`, {
        headers: { 'x-engine': engine },
        charge,
      })
    switch (input.response_format) {
      case 'text':
        return toText(`${transcript.text}\n`, 'text/plain')
      case 'srt':
        return toText(toSrt(transcript), 'application/x-subrip')
      case 'vtt':
        return toText(toVtt(transcript), 'text/vtt')
      case 'json':
      case 'verbose_json': {
        const usage = { type: 'duration' as const, seconds: Math.ceil(seconds) }
        const verbose = toVerbose(transcript, { seconds, granularities })
        const more = input.response_format === 'verbose_json' ? verbose : {}
        return json({ ...more, text: transcript.text, usage, engine }, { charge })
      }
    }
  },
})

const NO_SPEECH = { code: 'cannot_be_served', detail: 'No speech was found in the recording.' } as const

/** Whether transcripts are currently available. */
function availabilityOf(desk: TranscriptionDesk | null): Availability {
  if (!desk) {
    const detail =
      'No transcriber is configured: add a model (tollbook models add whisper-base), or set a model file (TOLLBOOK_WHISPER_FILE) or an upstream (TOLLBOOK_TRANSCRIPTION_URL).'
    return { isAvailable: false, problem: { code: 'not_configured', detail } }
  }
  if (desk.transcriber.isReady?.() ?? true) return { isAvailable: true }
  const detail = 'The transcription model is not loaded at the moment.'
  return {
    isAvailable: false,
    problem: { code: 'unavailable', detail, retryAfterSeconds: RETRY_AFTER_SECONDS },
  }
}
