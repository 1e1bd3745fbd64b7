import { isWav } from './read-wav.ts'

export type RecordingKind = 'wav' | 'mp3'

/** The kind of a file by its first bytes, whatever its name; null for anything but WAV and mp3. */
export function recordingKindOf(bytes: Uint8Array): RecordingKind | null {
  if (isWav(bytes)) return 'wav'
  const [first = 0, second = 0, third = 0] = bytes
  // https://id3.org/id3v2.4.0-structure, section 3.1
  if (first === 0x49 && second === 0x44 && third === 0x33) return 'mp3'
  return isLayerThreeFrame(first, second, third) ? 'mp3' : null
}

/** A frame header (ISO/IEC 11172-3 section 2.4.2.3): 11 bits set, a version, layer III, a bitrate and a rate. */
function isLayerThreeFrame(first: number, second: number, third: number): boolean {
  const version = (second >> 3) & 3
  const layer = (second >> 1) & 3
  const bitrate = third >> 4
  const rate = (third >> 2) & 3
  const isSynchronised = first === 0xff && second >= 0xe0
  return isSynchronised && version !== 1 && layer === 1 && bitrate !== 15 && rate !== 3
}
