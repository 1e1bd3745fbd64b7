import { decodeWav, findWavSamples, type Refusal } from './read-wav.ts'
import { resample } from './resample.ts'
import { toPcm } from './write-wav.ts'

/** The input format of transcribers: samples per second, 16 bits, one channel. */
export const HEARD_RATE = 16_000
/** Specification 4.5, audio rule 1. */
export const MAX_RECORDING_SECONDS = 300

/** A recording in the input format of transcribers. */
export type Recording = {
  /** Signed 16-bit little-endian samples of one channel, 16,000 per second. */
  readonly pcm: Uint8Array
  /** By its samples. */
  readonly seconds: number
}

export type TooLong = { readonly tooLongSeconds: number }

/** Decodes a WAV file; a file with too many samples is not decoded. For a worker. */
export function decodeRecording({ bytes }: { readonly bytes: Uint8Array }): Recording | Refusal | TooLong {
  const form = findWavSamples(bytes)
  if ('refusal' in form) return form
  if (form.frames === 0) return { refusal: 'has no samples' }
  const seconds = form.frames / form.sampleRate
  if (seconds > MAX_RECORDING_SECONDS) return { tooLongSeconds: seconds }
  const { samples, sampleRate } = decodeWav(bytes, form)
  return { pcm: toPcm(resample(samples, sampleRate, HEARD_RATE)), seconds }
}
