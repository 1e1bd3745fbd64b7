/** Sound of one channel, -1 to 1. */
export type Sound = { readonly samples: Float32Array<ArrayBuffer>; readonly sampleRate: number }

/** The place and format of the samples in a WAV file. */
export type WavForm = {
  readonly encoding: 'integer' | 'float'
  readonly channels: number
  readonly sampleRate: number
  /** Bytes of one sample of one channel: 1, 2, 3, 4, or 8 for long floats. */
  readonly sampleBytes: number
  /** Offset of the samples in bytes. */
  readonly start: number
  /** Actual samples of one channel, whatever the header declares. */
  readonly frames: number
}

/** The issue of a file; the text follows its name. */
export type Refusal = { readonly refusal: string }

const MAX_CHANNELS = 8
/** Chosen: from telephones with a bad line to studios. */
const MIN_RATE = 4_000
const MAX_RATE = 192_000
/** https://learn.microsoft.com/windows/win32/api/mmreg/ns-mmreg-waveformatex */
const PCM = 1
const FLOAT = 3
/** WAVEFORMATEXTENSIBLE: the first two bytes of a GUID identify the format. */
const EXTENSIBLE = 0xfffe
const EXTENSIBLE_BYTES = 40
const GUID_AT = 24

/**
 * Finds the samples of a RIFF WAVE file. Sizes are hints: programs that write into a pipe put `0xffffffff` or
 * `0x7ffff000` there, or 0, so a size of 0 or beyond the file means up to its end.
 */
export function findWavSamples(bytes: Uint8Array): WavForm | Refusal {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!isWav(bytes)) return { refusal: 'is not a WAV file' }
  let form: Omit<WavForm, 'start' | 'frames'> | undefined
  for (let at = 12; at + 8 <= bytes.length; ) {
    const id = asciiAt(bytes, at)
    const reported = view.getUint32(at + 4, true)
    const start = at + 8
    const rest = bytes.length - start
    if (id === 'fmt ') {
      const read = readForm(view, start, Math.min(reported, rest))
      if ('refusal' in read) return read
      form = read
    }
    if (id === 'data') {
      if (!form) return { refusal: 'has its samples before their format' }
      const size = reported === 0 ? rest : Math.min(reported, rest)
      return { ...form, start, frames: Math.floor(size / (form.channels * form.sampleBytes)) }
    }
    // Chunks begin at even offsets (Multimedia Programming Interface 1.0, RIFF).
    at = start + reported + (reported % 2)
  }
  return { refusal: 'has no samples' }
}

/** Decodes the samples; several channels are averaged into one. */
export function decodeWav(bytes: Uint8Array, form: WavForm): Sound {
  const { channels, sampleBytes, start, frames, sampleRate } = form
  const read = readerOf(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), form)
  const samples = new Float32Array(frames)
  let at = start
  for (let frame = 0; frame < frames; frame++) {
    let sum = 0
    for (let channel = 0; channel < channels; channel++, at += sampleBytes) sum += read(at)
    const mean = sum / channels
    // A float may be any value, including NaN.
    samples[frame] = Number.isNaN(mean) ? 0 : Math.min(1, Math.max(-1, mean))
  }
  return { samples, sampleRate }
}

export function isWav(bytes: Uint8Array): boolean {
  return bytes.length >= 12 && asciiAt(bytes, 0) === 'RIFF' && asciiAt(bytes, 8) === 'WAVE'
}

function asciiAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4))
}

function readForm(view: DataView, at: number, size: number): Omit<WavForm, 'start' | 'frames'> | Refusal {
  if (size < 16) return { refusal: 'has a format that is too short' }
  const reported = view.getUint16(at, true)
  const isExtensible = reported === EXTENSIBLE && size >= EXTENSIBLE_BYTES
  const tag = isExtensible ? view.getUint16(at + GUID_AT, true) : reported
  const channels = view.getUint16(at + 2, true)
  const sampleRate = view.getUint32(at + 4, true)
  const sampleBytes = view.getUint16(at + 12, true) / channels
  const bits = view.getUint16(at + 14, true)
  if (tag !== PCM && tag !== FLOAT) return { refusal: `has samples in the unknown format ${tag}` }
  if (channels < 1 || channels > MAX_CHANNELS)
    return { refusal: `has ${channels} channels (expected 1 to 8)` }
  if (sampleRate < MIN_RATE || sampleRate > MAX_RATE)
    return { refusal: `has ${sampleRate} samples per second (expected ${MIN_RATE} to ${MAX_RATE})` }
  const known = tag === PCM ? [1, 2, 3, 4] : [4, 8]
  if (!known.includes(sampleBytes) || bits > 8 * sampleBytes || bits <= 8 * (sampleBytes - 1))
    return { refusal: `has samples of ${bits} bits in ${sampleBytes} bytes, which are not supported` }
  return { encoding: tag === PCM ? 'integer' : 'float', channels, sampleRate, sampleBytes }
}

/** Reads one sample, -1 to 1. Integers of 8 bits are unsigned, all others signed and little-endian. */
function readerOf(view: DataView, { encoding, sampleBytes }: WavForm): (at: number) => number {
  if (encoding === 'float')
    return sampleBytes === 4 ? (at) => view.getFloat32(at, true) : (at) => view.getFloat64(at, true)
  switch (sampleBytes) {
    case 1:
      return (at) => (view.getUint8(at) - 128) / 128
    case 2:
      return (at) => view.getInt16(at, true) / 2 ** 15
    case 3:
      return (at) => (view.getUint16(at, true) + view.getInt8(at + 2) * 2 ** 16) / 2 ** 23
    default:
      return (at) => view.getInt32(at, true) / 2 ** 31
  }
}
