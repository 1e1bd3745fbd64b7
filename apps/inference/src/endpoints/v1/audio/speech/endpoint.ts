import { bytes } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import { type Issue, ProblemError } from '@tollbook/http/problem'
import { defineJob } from '@tollbook/workers/job'
import * as z from 'zod'
import type { InferencePorts } from '../../../../ports.ts'
import { chargeOfCharacters, MIN_CHARGE_USD } from '../../../../price.ts'
import { MAX_SPEECH_SECONDS } from '../../../../sound/encode-speech.ts'
import { SPEECH_FORMATS } from '../../../../sound/spoken.ts'
import { estimateMinSeconds } from '../../../../speech/estimate-seconds.ts'
import { canSpeak, findEngineFor } from '../../../../speech/speech-desk.ts'

const encode = defineJob<typeof import('../../../../sound/encode-speech.ts').encodeSpeech>({
  module: new URL('../../../../sound/encode-speech.ts', import.meta.url),
  name: 'encodeSpeech',
  deadlineMs: 60_000,
})

/** Specification 4.5, audio rule 2. */
const MAX_CHARS = 3_000
const CONTENT_TYPES = { mp3: 'audio/mpeg', wav: 'audio/wav', pcm: 'audio/pcm' } as const

const voiceName = z.string().min(1).max(200)
const input = z.object({
  input: z
    .string()
    .regex(/\S/, 'must contain a word')
    .refine((text) => [...text].length <= MAX_CHARS, `must have at most ${MAX_CHARS} characters`)
    .meta({ maxLength: MAX_CHARS })
    .describe('The text to speak; at most 3,000 characters (Unicode code points).'),
  voice: z
    .union([voiceName, z.strictObject({ id: voiceName })])
    .describe('An id of GET /v1/audio/voices, a name such as alloy, or a language tag.'),
  response_format: z
    .enum(SPEECH_FORMATS)
    .default('mp3')
    .describe('pcm is 16-bit little-endian at 24,000 samples a second, one channel.'),
  speed: z.number().min(0.25).max(4).default(1),
  model: z.string().max(200).optional().describe('Accepted because SDKs send it; the voice decides.'),
  stream_format: z.literal('audio').optional(),
})

type Input = z.output<typeof input>

export const speech = defineEndpoint({
  id: 'audio.speech',
  method: 'POST',
  effect: 'none',
  path: '/v1/audio/speech',
  pricing: { kind: 'metered', priceUsd: '0.018', minimumUsd: MIN_CHARGE_USD, isExactFirst: true },
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
  availability: ({ voices, speech: desk }: InferencePorts) => canSpeak(desk, voices.current()),
  check(args, ports) {
    const found = findEngine(args, ports)
    return 'issue' in found ? [found.issue] : findLengthIssues(args)
  },
  async handle({ input: args, ports, signal }: Call<Input, InferencePorts, Address>) {
    const found = findEngine(args, ports)
    // Its provider may have failed since the check.
    if ('issue' in found) {
      const { code = 'unavailable', detail, parameter } = found.issue
      throw new ProblemError({ code, detail: `${parameter} ${detail}` })
    }
    const { voice, engine } = found
    const { input: text, response_format: format, speed } = args
    // Programs in C end a text at its first null character.
    const spoken = await engine.speak({ voice, text: text.replaceAll('\0', ' '), speed, format }, signal)
    const encoded = await ports.workers.run(encode, { spoken, format }, signal)
    if ('noSpeech' in encoded) {
      const detail = `What ${voice.provider} returned as speech ${encoded.noSpeech}.`
      throw new ProblemError({ code: 'upstream_failed', detail })
    }
    if ('refusal' in encoded)
      throw new ProblemError({
        code: 'cannot_be_served',
        detail: `The speech of the voice ${voice.id} for this input ${encoded.refusal}.`,
      })
    return bytes(encoded.bytes, CONTENT_TYPES[format], {
      headers: { 'x-voice': toHeaderText(voice.id), 'x-audio-seconds': encoded.seconds.toFixed(2) },
      charge: chargeOfCharacters([...text].length),
    })
  },
})

/** Rejects before synthesis what would be rejected after it. */
function findLengthIssues({ input: text, speed }: Input): readonly Issue[] {
  const seconds = Math.ceil(estimateMinSeconds(text, speed))
  if (seconds <= MAX_SPEECH_SECONDS) return []
  const detail = `gives at least ${seconds} seconds of speech at this speed (limit ${MAX_SPEECH_SECONDS}): send less text or a higher speed`
  return [{ parameter: 'input', detail, code: 'cannot_be_served' }]
}

/**
 * Percent-encodes the non-ASCII letters of a text, because headers cannot contain them (RFC 9110 section
 * 5.5).
 */
function toHeaderText(text: string): string {
  return text.toWellFormed().replaceAll(/[^ -~]+/g, encodeURIComponent)
}

function findEngine({ voice, speed }: Input, { voices, speech: desk }: InferencePorts) {
  const requested = typeof voice === 'string' ? voice : voice.id
  return findEngineFor({ voice: requested, speed }, desk, voices.current())
}
