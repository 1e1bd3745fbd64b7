import { HEARD_RATE, type Recording } from './decode-recording.ts'

/** Frames of 30 ms, as voice activity detectors use them. */
const FRAME_SAMPLES = (HEARD_RATE * 30) / 1000
const SAMPLE_BYTES = 2
/** Chosen: -60 dB of full scale; a quiet room recorded by a phone is louder. */
const QUIET = (32_768 / 1_000) ** 2
/** Chosen: 3 dB. Syllables and pauses of any speech differ by more, frames of steady noise or of a hum by 1 dB. */
const STEADY = 2
/** Half a second: below it, a vowel alone may be steady. */
const MIN_FRAMES = 17

/** Whether a recording has no speech for certain: silence, steady noise or a steady tone. */
export function isWithoutSpeech({ pcm }: Pick<Recording, 'pcm'>): boolean {
  const powers = powersOf(pcm).sort()
  const max = powers.at(-1) ?? 0
  if (max < QUIET) return true
  if (powers.length < MIN_FRAMES) return false
  const [low = 0, high = 0] = [0.05, 0.95].map((part) => powers[Math.floor(part * (powers.length - 1))])
  // A click, as of a switch, is louder than all else, so that its frame is left out; speech is longer.
  return high < QUIET / 4 || high < STEADY * low
}

/** The mean square of each whole frame; of a shorter recording, that of all of it. */
function powersOf(pcm: Uint8Array): Float64Array {
  const view = new DataView(pcm.buffer, pcm.byteOffset, pcm.byteLength)
  const samples = Math.floor(pcm.length / SAMPLE_BYTES)
  const length = Math.min(FRAME_SAMPLES, samples)
  const powers = new Float64Array(length === 0 ? 0 : Math.floor(samples / length))
  for (let frame = 0; frame < powers.length; frame += 1) {
    let sum = 0
    for (let at = frame * length; at < (frame + 1) * length; at += 1)
      sum += view.getInt16(at * SAMPLE_BYTES, true) ** 2
    powers[frame] = sum / length
  }
  return powers
}
