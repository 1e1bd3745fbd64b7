/** RFC 2397, with the media type and further parameters left to the sender. */
const DATA_URI = /^data:[^,]{0,200};base64,/i
/** What neither alphabet of RFC 4648 has; line breaks may stand between. Looks at each character once. */
const NOT_IN_ALPHABET = /[^A-Za-z0-9+/_\s-]/
const PADDING = /^={1,2}\s*$/
/** Characters that hold the bytes by which kinds are told, white space allowed for. */
const HEAD_CHARACTERS = 256

export function isBase64(text: string): boolean {
  const letters = payload(text)
  const end = letters.search(NOT_IN_ALPHABET)
  return end < 0 ? letters.length > 0 : end > 0 && PADDING.test(letters.slice(end))
}

/** How many bytes the text holds at most; exact without white space. */
export function decodedBytes(text: string): number {
  const letters = payload(text)
  // Not by a pattern that ends in `$`: it would try each blank of a long row.
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
