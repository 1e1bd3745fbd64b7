import * as z from 'zod'
import { bytes } from '../../../../../catalogue/answer.ts'
import { type Address, type Call, defineEndpoint } from '../../../../../catalogue/endpoint.ts'
import { type Fault, ProblemError } from '../../../../../catalogue/problem.ts'
import { defineJob } from '../../../../../workers/job.ts'
import { chargeOfCharacters, LEAST_AUDIO_USD } from '../../../../audio-price.ts'
import type { InferencePorts } from '../../../../ports.ts'
import { SPEECH_FORMATS } from '../../../../sound/encode-speech.ts'
import { chooseVoice } from '../../../../speech/choose-voice.ts'
import { canSpeak } from '../../../../speech/speech-desk.ts'

const encode = defineJob<typeof import('../../../../sound/encode-speech.ts').encodeSpeech>({
  module: new URL('../../../../sound/encode-speech.ts', import.meta.url),
  name: 'encodeSpeech',
  deadlineMs: 60_000,
})

/** Specification 4.5, audio rule 2. */
const MOST_CHARS = 3_000
const CONTENT_TYPES = { mp3: 'audio/mpeg', wav: 'audio/wav', pcm: 'audio/pcm' } as const

const voiceName = z.string().min(1).max(200)
const input = z.object({
  input: z
    .string()
    .regex(/\S/, 'must hold a word')
    .refine((text) => [...text].length <= MOST_CHARS, `must have at most ${MOST_CHARS} characters`)
    .meta({ maxLength: MOST_CHARS })
    .describe('What is spoken; at most 3,000 characters (Unicode code points).'),
  voice: z
    .union([voiceName, z.strictObject({ id: voiceName })])
    .describe('An id of GET /v1/audio/voices, a name such as alloy, or a language tag.'),
  response_format: z
    .enum(SPEECH_FORMATS)
    .default('mp3')
    .describe('pcm is 16-bit little-endian at 24,000 samples a second, one channel.'),
  speed: z.number().min(0.25).max(4).default(1),
  model: z.string().max(200).optional().describe('Taken because SDKs send it; the voice decides.'),
  stream_format: z.literal('audio').optional(),
})

type Input = z.output<typeof input>

export const speech = defineEndpoint({
  id: 'audio.speech',
  method: 'POST',
  path: '/v1/audio/speech',
  pricing: { kind: 'metered', priceUsd: '0.018', minimumUsd: LEAST_AUDIO_USD, isExactFirst: true },
  summary: 'Text to speech',
  description:
    'Text-to-speech of up to 3,000 characters, as mp3, wav or pcm, at speeds from 0.25 to 4, with the voices of /v1/audio/voices.',
  input,
  output: z.string().meta({ contentMediaType: 'audio/mpeg' }),
  example: {
    input: { input: 'The birch canoe slid on the smooth planks.', voice: 'alloy' },
    output: '(the sound)',
  },
  limits: { bodyBytes: 65_536, timeoutMs: 110_000 },
  dialect: 'chat',
  availability: ({ voices, speech: desk }: InferencePorts) =>
    canSpeak(desk, voices)
      ? { isAvailable: true }
      : {
          isAvailable: false,
          problem: {
            code: 'not_configured',
            detail: 'No speech engine is installed here; the operator installs espeak-ng or flite.',
          },
        },
  check: (given, ports) => findVoiceFor(given, ports).faults,
  async handle({ input: given, ports, signal }: Call<Input, InferencePorts, Address>) {
    const { found } = findVoiceFor(given, ports)
    if (!found) throw new Error('its voice was checked')
    const { input: text, response_format: format, speed } = given
    const wav = await found.engine.speak({ voice: found.voice, text, speed }, signal)
    const encoded = await ports.workers.run(encode, { wav, format }, signal)
    if ('refusal' in encoded)
      throw new ProblemError({
        code: 'cannot_be_served',
        detail: `The speech of the voice ${found.voice.id} for this input ${encoded.refusal}.`,
      })
    return bytes(encoded.bytes, CONTENT_TYPES[format], {
      headers: { 'x-voice': found.voice.id, 'x-audio-seconds': encoded.seconds.toFixed(2) },
      charge: chargeOfCharacters([...text].length),
    })
  },
})

function findVoiceFor({ voice: asked, speed }: Input, { voices, speech: desk }: InferencePorts) {
  const chosen = chooseVoice(typeof asked === 'string' ? asked : asked.id, voices, desk.names)
  if ('fault' in chosen) return { faults: [{ parameter: 'voice', ...chosen.fault }] }
  const { voice } = chosen
  const engine = desk.engines.find(({ provider }) => provider === voice.provider)
  if (!engine) {
    const fault: Fault = { parameter: 'voice', detail: 'is not available here', code: 'not_configured' }
    return { faults: [fault] }
  }
  const { least, most } = engine.speeds
  if (speed < least || speed > most)
    return {
      faults: [{ parameter: 'speed', detail: `must be ${least} to ${most} for voices of ${voice.provider}` }],
    }
  return { faults: [], found: { voice, engine } }
}
