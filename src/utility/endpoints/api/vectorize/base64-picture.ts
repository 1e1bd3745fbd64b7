/** RFC 2397, with the media type and further parameters left to the sender. */
const DATA_URI = /^data:[^,]{0,200};base64,/i
/** Either alphabet of RFC 4648, with or without padding; line breaks may stand between. */
const BASE64 = /^[A-Za-z0-9+/_\s-]+={0,2}\s*$/
/** Characters that hold the bytes by which kinds are told, white space allowed for. */
const HEAD_CHARACTERS = 256

export function isBase64(text: string): boolean {
  return BASE64.test(payload(text))
}

/** How many bytes the text holds at most; exact without white space. */
export function decodedBytes(text: string): number {
  return Math.floor((payload(text).replace(/[\s=]+$/, '').length * 3) / 4)
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
