export type ImageKind = 'png' | 'jpeg' | 'gif' | 'bmp' | 'webp'

/**
 * Detects the image type by its first bytes
 * (https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern); null if unknown.
 */
export function findImageKind(bytes: Uint8Array): ImageKind | null {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(16, bytes.byteLength)).toString('latin1')
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png'
  if (text.startsWith('\xff\xd8\xff')) return 'jpeg'
  if (text.startsWith('GIF87a') || text.startsWith('GIF89a')) return 'gif'
  if (text.startsWith('RIFF') && text.slice(8, 14) === 'WEBPVP') return 'webp'
  return text.startsWith('BM') ? 'bmp' : null
}

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
