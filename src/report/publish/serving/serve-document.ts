import type { Context } from 'hono'
import { readHeader } from './read-header.ts'
import type { RenderedText } from './rendered-text.ts'

export type Document = {
  readonly text: RenderedText
  readonly contentType: string
  readonly lastModified?: Date
  /** How long a cache may answer without revalidation, seconds. */
  readonly maxAgeSeconds: number
  readonly headers?: Readonly<Record<string, string>>
}

/** Smaller bodies gain nothing from compression. */
const MIN_PACKED_CHARACTERS = 1024

/**
 * Responds with a stored or rendered text: 304 if the client has it, compressed if the client accepts gzip
 * (RFC 9110).
 */
export async function serveDocument(context: Context, document: Document): Promise<Response> {
  const { text, lastModified } = document
  const isLong = text.body.length >= MIN_PACKED_CHARACTERS
  const isPacked = isLong && acceptsGzip(readHeader(context, 'accept-encoding'))
  const headers: Record<string, string> = {
    'content-type': document.contentType,
    'cache-control': `public, max-age=${document.maxAgeSeconds}`,
    // A strong validator identifies one sequence of bytes, so each coding has its own.
    etag: isPacked ? `"${text.etag}-gzip"` : `"${text.etag}"`,
    vary: 'Accept-Encoding',
    ...(lastModified && { 'last-modified': lastModified.toUTCString() }),
    ...document.headers,
  }
  if (isFresh(context, text.etag, lastModified))
    return new Response(null, { status: 304, headers: toFreshHeaders(headers) })
  if (!isPacked) return new Response(text.body, { headers })
  headers['content-encoding'] = 'gzip'
  return new Response(await text.packed(), { headers })
}

/**
 * Headers that a 304 omits: those that describe a body which the client already has, identified by its tag
 * (RFC 9110 section 15.4.5).
 */
const OF_THE_BODY = [
  'content-type',
  'content-encoding',
  'content-disposition',
  'content-length',
  'content-security-policy',
  'referrer-policy',
  'x-content-type-options',
  'last-modified',
]

/** Selects the headers of a 304 from those of the full response. */
export function toFreshHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_THE_BODY.includes(name)))
}

/**
 * Whether the client has this very version. If-None-Match takes precedence where it is sent, otherwise
 * If-Modified-Since, in whole seconds (RFC 9110 section 13.2.2).
 */
export function isFresh(context: Context, etag: string, lastModified: Date | undefined): boolean {
  const known = readHeader(context, 'if-none-match')
  if (known !== undefined) {
    if (known === `"${etag}"`) return true
    const tags = known.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
    return tags.some((tag) => tag === '*' || tag === `"${etag}"` || tag === `"${etag}-gzip"`)
  }
  const since = readHeader(context, 'if-modified-since')
  if (since === undefined || lastModified === undefined) return false
  return Math.floor(lastModified.getTime() / 1000) * 1000 <= Date.parse(since)
}

/** Whether gzip, or `*`, is accepted with a weight above zero. */
export function acceptsGzip(header: string | undefined): boolean {
  if (header === undefined) return false
  return header.split(',').some((part) => {
    const [coding = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    return (coding === 'gzip' || coding === '*') && Number(weight?.slice(2) ?? 1) > 0
  })
}
