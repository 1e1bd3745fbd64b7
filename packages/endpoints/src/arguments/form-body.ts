import { extname } from 'node:path'
import type { UploadedFile } from '@tollbook/http/request/uploaded-file'

/** A file of a form; `value` is what the schema validates. */
type FormFile = UploadedFile & { readonly field: string; readonly value: File }

export type FormBody = {
  readonly texts: readonly (readonly [field: string, text: string])[]
  readonly files: readonly FormFile[]
}

const UNKNOWN = 'application/octet-stream'
/** Types of texts, whose first bytes do not show them, by extension. */
const TYPES: Readonly<Record<string, string>> = {
  '.md': 'text/markdown',
  '.markdown': 'text/markdown',
  '.txt': 'text/plain',
  '.csv': 'text/csv',
  '.json': 'application/json',
  '.htm': 'text/html',
  '.html': 'text/html',
}

/** Parses a multipart body; the issue does not repeat it. */
export async function readFormBody(
  bytes: Uint8Array,
  contentType: string,
  maxParts: number,
): Promise<FormBody | { readonly issue: string }> {
  const boundary = boundaryOf(contentType)
  if (boundary === null) return { issue: 'has no boundary' }
  const issue = findFormIssue(bytes, boundary, maxParts)
  if (issue !== null) return { issue }
  let form: FormData
  try {
    // It copies what it is given.
    form = await new Response(bytes as Uint8Array<ArrayBuffer>, {
      // Not the header itself, in which the parser may find another boundary than the one that was checked.
      headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
    }).formData()
  } catch {
    return { issue: 'is not valid multipart/form-data' }
  }
  const texts: [string, string][] = []
  const files: FormFile[] = []
  for (const [field, value] of form)
    if (typeof value === 'string') texts.push([field, value])
    else files.push({ field, contentType: typeOf(value), bytes: await value.bytes(), value })
  return { texts, files }
}

/** The type of its part, else of its name. */
function typeOf({ type, name }: File): string {
  if (type !== '' && type !== UNKNOWN) return type
  return TYPES[extname(name).toLowerCase()] ?? UNKNOWN
}

/** Max header bytes of one part; a file's headers are its name and its type. */
const MAX_HEADER_BYTES = 8192
const HEADERS_END = '\r\n\r\n'

/** Without quotes and backslashes, which RFC 2046 excludes; null if there is none. */
function boundaryOf(contentType: string): string | null {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"\\]+)"|([^\s;"\\]+))/i.exec(contentType) ?? []
  return quoted ?? bare ?? null
}

/** Why a multipart body is not parsed, or null: parsers are slow on empty parts and headers. */
function findFormIssue(bytes: Uint8Array, boundary: string, maxParts: number): string | null {
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
