/** Max header bytes of one part; a file's headers are its name and its type. */
const MAX_HEADER_BYTES = 8192
const HEADERS_END = '\r\n\r\n'

/** Why a multipart body is not parsed, or null: parsers are slow on empty parts and headers. */
export function findFormFault(bytes: Uint8Array, contentType: string, maxParts: number): string | null {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType) ?? []
  const boundary = quoted ?? bare
  if (boundary === undefined) return 'has no boundary'
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const delimiter = Buffer.from(`--${boundary}\r\n`)
  let parts = 0
  for (let at = body.indexOf(delimiter); at >= 0; at = body.indexOf(delimiter, at + delimiter.length)) {
    parts += 1
    if (parts > maxParts) return `has more than ${maxParts} parts`
    const start = at + delimiter.length
    const head = body.subarray(start, start + MAX_HEADER_BYTES)
    if (!head.includes(HEADERS_END) && head.byteLength === MAX_HEADER_BYTES)
      return `has a part with more than ${MAX_HEADER_BYTES} bytes of headers`
  }
  return null
}
