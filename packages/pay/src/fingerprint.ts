import { createHash } from 'node:crypto'
import type { PaidRequest } from './pay.ts'

/** Equal for a request and its retry. Other headers may differ between the two, as does the boundary of a form. */
export function fingerprintOf({ method, url, headers, body = new Uint8Array() }: PaidRequest): string {
  const type = headers.get('content-type') ?? ''
  const named = ['accept', 'idempotency-key'].map((name) => headers.get(name))
  const { boundary, rest } = readBoundary(type)
  const pieces = boundary === null ? [body] : splitForm(body, boundary)
  // The lengths keep apart what the boundary separated.
  const sizes = pieces.map(({ length }) => length)
  const hash = createHash('sha256').update(JSON.stringify([method, url, rest, named, sizes]))
  for (const piece of pieces) hash.update(piece)
  return hash.digest('hex')
}

/** The boundary of a form, and its type without it; null if there is none or more than one. */
function readBoundary(type: string): { readonly boundary: string | null; readonly rest: string } {
  const [found, ...more] = type.matchAll(/;\s*boundary=(?:"([^"]+)"|([^\s";]+))/gi)
  const boundary = found?.[1] ?? found?.[2] ?? null
  if (!found || more.length > 0 || !/^multipart\//i.test(type)) return { boundary: null, rest: type }
  return { boundary, rest: type.slice(0, found.index) + type.slice(found.index + found[0].length) }
}

/** What is between the delimiters of a form, each of which is a line (RFC 2046 section 5.1.1). */
function splitForm(body: Uint8Array, boundary: string): readonly Buffer[] {
  const escaped = boundary.replaceAll(
    /[^\w]/g,
    (mark) => `\\x${mark.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
  const delimiter = new RegExp(`\r\n--${escaped}(?=(?:--)?[ \\t]*(?:\r\n|$))`)
  const text = `\r\n${Buffer.from(body).toString('latin1')}`
  return text.split(delimiter).map((piece) => Buffer.from(piece, 'latin1'))
}
