import type { Context } from 'hono'
import type { RenderedText } from './rendered-text.ts'

export type Document = {
  readonly text: RenderedText
  readonly contentType: string
  readonly lastModified?: Date
  /** How long a cache may answer without asking, seconds. */
  readonly maxAgeSeconds: number
  readonly headers?: Readonly<Record<string, string>>
}

/** Smaller bodies gain nothing from packing. */
const LEAST_PACKED_CHARACTERS = 1024

/** Answers with a stored or rendered text: 304 to who has it already, packed for who can unpack it (RFC 9110). */
export async function serveDocument(context: Context, document: Document): Promise<Response> {
  const { text, lastModified } = document
  const { req } = context
  const isLong = text.body.length >= LEAST_PACKED_CHARACTERS
  const isPacked = isLong && acceptsGzip(req.header('accept-encoding'))
  const headers: Record<string, string> = {
    'content-type': document.contentType,
    'cache-control': `public, max-age=${document.maxAgeSeconds}`,
    // A strong validator names one sequence of bytes, so each coding has its own.
    etag: isPacked ? `"${text.etag}-gzip"` : `"${text.etag}"`,
    vary: 'Accept-Encoding',
    ...(lastModified && { 'last-modified': lastModified.toUTCString() }),
    ...document.headers,
  }
  if (isFresh(context, text.etag, lastModified)) return new Response(null, { status: 304, headers })
  if (!isPacked) return new Response(text.body, { headers })
  headers['content-encoding'] = 'gzip'
  return new Response(await text.packed(), { headers })
}

/** If-None-Match decides where it is sent; else If-Modified-Since, by whole seconds (RFC 9110 section 13.2.2). */
function isFresh({ req }: Context, etag: string, lastModified: Date | undefined): boolean {
  const known = req.header('if-none-match')
  if (known !== undefined) {
    const tags = known.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
    return tags.some((tag) => tag === '*' || tag === `"${etag}"` || tag === `"${etag}-gzip"`)
  }
  const since = req.header('if-modified-since')
  if (since === undefined || lastModified === undefined) return false
  return Math.floor(lastModified.getTime() / 1000) * 1000 <= Date.parse(since)
}

/** Whether gzip is named, or anything, with a weight above zero. */
export function acceptsGzip(header: string | undefined): boolean {
  if (header === undefined) return false
  return header.split(',').some((part) => {
    const [coding = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    return (coding === 'gzip' || coding === '*') && Number(weight?.slice(2) ?? 1) > 0
  })
}
