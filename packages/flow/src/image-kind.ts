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
