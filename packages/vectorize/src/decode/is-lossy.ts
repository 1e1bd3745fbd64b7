import type { ImageKind } from '@tollbook/flow/image-kind'

/**
 * Whether the pixels of a file differ from those that were compressed: always in JPEG, and in WebP if it holds a `VP8 `
 * chunk (https://developers.google.com/speed/webp/docs/riff_container).
 */
export function isLossy(bytes: Uint8Array, kind: ImageKind): boolean {
  if (kind !== 'webp') return kind === 'jpeg'
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 12; at + 8 <= file.length; ) {
    const chunk = file.toString('latin1', at, at + 4)
    if (chunk === 'VP8 ') return true
    if (chunk === 'VP8L') return false
    const size = file.readUInt32LE(at + 4)
    // A frame of an animation has 16 bytes of its own before its chunks; a chunk has an even length.
    at += chunk === 'ANMF' ? 24 : 8 + size + (size % 2)
  }
  return false
}
