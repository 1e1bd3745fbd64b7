import type { Refusal } from './read-wav.ts'

/** The content of an mp3 file by its frames, whatever its tags declare. */
export type Mp3Form = { readonly frames: number; readonly seconds: number }

/**
 * Kilobits per second of layer III by the four bits of a frame header (ISO/IEC 11172-3 2.4.2.3, 13818-3
 * 2.4.2.3).
 */
const BITRATES = {
  one: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  two: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const
/** Samples per second of MPEG-1; MPEG-2 has half of them, and 2.5 a quarter. */
const RATES = [44_100, 48_000, 32_000]
const ID3V2_HEAD = 10
const ID3V1_BYTES = 128

type Frame = { readonly sizeBytes: number; readonly samples: number; readonly rate: number }

/**
 * Walks the frames of an mp3 file from its first to its last byte. Tags may be around and between them, as in
 * joined files; the last frame may be truncated.
 */
export function readMp3(bytes: Uint8Array): Mp3Form | Refusal {
  let frames = 0
  let seconds = 0
  for (let at = 0; at < bytes.length; ) {
    const tag = sizeOfTag(bytes, at)
    if (tag > 0) {
      at += tag
      continue
    }
    const frame = readFrame(bytes, at)
    if (!frame) {
      if (isPadding(bytes, at)) break
      return { refusal: frames === 0 ? 'is not an mp3' : 'is damaged' }
    }
    frames += 1
    seconds += frame.samples / frame.rate
    at += frame.sizeBytes
  }
  return frames === 0 ? { refusal: 'contains no sound' } : { frames, seconds }
}

/** Size of the ID3 tag that begins here (https://id3.org/id3v2.4.0-structure, section 3.1); 0 if none does. */
function sizeOfTag(bytes: Uint8Array, at: number): number {
  const name = String.fromCharCode(...bytes.subarray(at, at + 3))
  if (name === 'TAG') return ID3V1_BYTES
  if (name !== 'ID3' || at + ID3V2_HEAD > bytes.length) return 0
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(at + 6, at + ID3V2_HEAD)
  return ID3V2_HEAD + a * 2 ** 21 + b * 2 ** 14 + c * 2 ** 7 + d
}

function readFrame(bytes: Uint8Array, at: number): Frame | null {
  const [first = 0, second = 0, third = 0] = bytes.subarray(at, at + 3)
  const version = (second >> 3) & 3
  const bitrate = third >> 4
  const rate = RATES[(third >> 2) & 3]
  const isLayerThree = first === 0xff && second >= 0xe0 && version !== 1 && ((second >> 1) & 3) === 1
  // Bitrate 0 means free format, which no speech engine uses.
  if (!isLayerThree || rate === undefined || bitrate === 0 || bitrate === 15) return null
  const isOne = version === 3
  const kilobits = (isOne ? BITRATES.one : BITRATES.two)[bitrate] ?? 0
  const samples = isOne ? 1152 : 576
  const samplesASecond = rate / (isOne ? 1 : version === 2 ? 2 : 4)
  const padding = (third >> 1) & 1
  const sizeBytes = Math.floor((samples / 8) * ((kilobits * 1000) / samplesASecond)) + padding
  return { sizeBytes, samples, rate: samplesASecond }
}

/** Whether only zeros follow, or too little for a frame header. */
function isPadding(bytes: Uint8Array, at: number): boolean {
  return bytes.length - at < 4 || bytes.subarray(at).every((byte) => byte === 0)
}
