import { createMp3Encoder } from 'wasm-media-encoders'
import { readMp3 } from './read-mp3.ts'
import { decodeWav, findWavSamples, type Refusal, type Sound } from './read-wav.ts'
import { resample } from './resample.ts'
import type { SpeechFormat, Spoken } from './spoken.ts'
import { fromPcm, toPcm, toWav } from './write-wav.ts'

/** `pcm` of the chat dialect: 24,000 samples per second. */
export const PCM_RATE = 24_000
/** Rates of MPEG-1, 2 and 2.5 audio layer III (ISO/IEC 11172-3, 13818-3). */
const MP3_RATES = [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
/** Kilobits per second: clear for one voice, and the max of MPEG-2.5. */
const MP3_BITRATE = 64
/** Samples encoded at once. */
const MP3_BLOCK = 1152 * 64
/** Chosen: 3,000 characters at normal speed are 3 to 4 minutes; digits and slow speech take longer. */
export const MAX_SPEECH_SECONDS = 1200
/** An engine with a time limit cuts off within its last frame or word. */
const CUT_SLACK_SECONDS = 0.5

/**
 * If a voice of Flite knows no letter of the text, it hums up to 0.005 (measured: 153 of 32,768); speech is
 * above 0.3.
 */
const FAINTEST = 0.01

export type EncodedSpeech = { readonly bytes: Uint8Array; readonly seconds: number }
/** The engine's output is not speech; the text follows the engine's name. */
export type NoSpeech = { readonly noSpeech: string }

/** Converts an engine's speech to the requested format; speech that already has it is unchanged. For a worker. */
export async function encodeSpeech({
  spoken,
  format,
}: {
  readonly spoken: Spoken
  readonly format: SpeechFormat
}): Promise<EncodedSpeech | Refusal | NoSpeech> {
  if (spoken.kind === 'mp3') {
    const form = readMp3(spoken.bytes)
    if ('refusal' in form) return { noSpeech: form.refusal }
    if (format !== 'mp3') return { noSpeech: `is an mp3 instead of ${format}` }
    return findTooLong(form.seconds, spoken) ?? { bytes: spoken.bytes, seconds: form.seconds }
  }
  const sound =
    spoken.kind === 'pcm'
      ? { samples: fromPcm(spoken.bytes), sampleRate: spoken.sampleRate }
      : readWav(spoken)
  if ('noSpeech' in sound || 'refusal' in sound) return sound
  const seconds = sound.samples.length / sound.sampleRate
  const tooLong = findTooLong(seconds, spoken)
  if (tooLong) return tooLong
  if (sound.samples.every((sample) => Math.abs(sample) < FAINTEST)) return { refusal: 'is silent' }
  return { bytes: await write(sound, format), seconds }
}

function readWav(spoken: Spoken): Sound | Refusal | NoSpeech {
  const form = findWavSamples(spoken.bytes)
  if ('refusal' in form) return { noSpeech: form.refusal }
  // Before that many samples are decoded.
  return findTooLong(form.frames / form.sampleRate, spoken) ?? decodeWav(spoken.bytes, form)
}

function findTooLong(seconds: number, { cutAtSeconds = Number.POSITIVE_INFINITY }: Spoken): Refusal | null {
  if (seconds > MAX_SPEECH_SECONDS)
    return { refusal: `is ${Math.ceil(seconds)} seconds long (limit ${MAX_SPEECH_SECONDS})` }
  if (seconds > cutAtSeconds - CUT_SLACK_SECONDS)
    return { refusal: `is longer than ${cutAtSeconds} seconds, the limit of this voice` }
  return null
}

async function write({ samples, sampleRate }: Sound, format: SpeechFormat): Promise<Uint8Array> {
  switch (format) {
    case 'wav':
      return toWav(toPcm(samples), sampleRate)
    case 'pcm':
      return toPcm(resample(samples, sampleRate, PCM_RATE))
    case 'mp3': {
      const rate = MP3_RATES.includes(sampleRate) ? sampleRate : PCM_RATE
      return await toMp3(resample(samples, sampleRate, rate), rate)
    }
  }
}

async function toMp3(samples: Float32Array, sampleRate: number): Promise<Uint8Array> {
  const encoder = await createMp3Encoder()
  encoder.configure({ channels: 1, sampleRate, bitrate: MP3_BITRATE })
  const blocks: Uint8Array[] = []
  // The encoder reuses its output buffer.
  for (let at = 0; at < samples.length; at += MP3_BLOCK)
    blocks.push(encoder.encode([samples.subarray(at, at + MP3_BLOCK)]).slice())
  blocks.push(encoder.finalize().slice())
  return Buffer.concat(blocks)
}
