/** RFC 2397; the media type and further parameters are not restricted. */
const DATA_URI = /^data:[^,]{0,200};base64,/i
/** Characters in neither alphabet of RFC 4648; line breaks are allowed. Scans each character once. */
const NOT_IN_ALPHABET = /[^A-Za-z0-9+/_\s-]/
const PADDING = /^={1,2}\s*$/
/** Characters that hold the magic bytes of a format, allowing for whitespace. */
const HEAD_CHARACTERS = 256

export function isBase64(text: string): boolean {
  const letters = payload(text)
  const end = letters.search(NOT_IN_ALPHABET)
  return end < 0 ? letters.length > 0 : end > 0 && PADDING.test(letters.slice(end))
}

/** Upper bound of the decoded size in bytes; exact without whitespace. */
export function decodedBytes(text: string): number {
  const letters = payload(text)
  // Not a pattern that ends in `$`: it would backtrack on each blank of a long run.
  let end = letters.length
  while (end > 0 && (letters[end - 1] === '=' || letters[end - 1]?.trim() === '')) end -= 1
  return Math.floor((end * 3) / 4)
}

/** The first bytes. */
export function decodeHead(text: string): Uint8Array {
  return Buffer.from(payload(text).slice(0, HEAD_CHARACTERS), 'base64')
}

export function decodeAll(text: string): Uint8Array {
  return Buffer.from(payload(text), 'base64')
}

function payload(text: string): string {
  return text.slice(DATA_URI.exec(text.slice(0, 300))?.[0].length ?? 0)
}
