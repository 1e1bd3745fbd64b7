/** Maximum size of an image in bytes (X API v2 media upload: 5 MB). */
export const MAX_IMAGE_BYTES = 5 * 1024 * 1024

const text = (characters: string) => [...Buffer.from(characters, 'latin1')]

/** First bytes by content type (https://mimesniff.spec.whatwg.org/#image-type-pattern-matching-algorithm). */
const KINDS: readonly (readonly [contentType: string, first: readonly (number | null)[]])[] = [
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/png', [0x89, ...text('PNG\r\n'), 0x1a, 0x0a]],
  ['image/gif', text('GIF87a')],
  ['image/gif', text('GIF89a')],
  ['image/webp', [...text('RIFF'), null, null, null, null, ...text('WEBPVP')]],
]

/**
 * The content type of an image by its first bytes, regardless of its name; null if tweets do not support it.
 */
export function findImageKind(bytes: Uint8Array): string | null {
  const kind = KINDS.find(([, first]) => first.every((byte, at) => byte === null || bytes[at] === byte))
  return kind?.[0] ?? null
}
