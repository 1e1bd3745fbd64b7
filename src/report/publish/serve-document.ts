import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Context } from 'hono'
import { hashText } from './report-json.ts'

export type Document = {
  readonly body: string
  readonly contentType: string
  /** Validator without quotes; default the hash of the body. */
  readonly etag?: string
  readonly lastModified?: Date
  /** How long a cache may answer without asking, seconds. */
  readonly maxAgeSeconds: number
  readonly headers?: Readonly<Record<string, string>>
}

/** Smaller bodies gain nothing from packing. */
const LEAST_PACKED_BYTES = 1024
const pack = promisify(gzip)

/** Answers with a stored or rendered text: 304 to who has it already, packed for who can unpack it (RFC 9110). */
export async function serveDocument(context: Context, document: Document): Promise<Response> {
  const { body, lastModified } = document
  const plain = document.etag ?? hashText(body)
  const { req } = context
  const isPacked = body.length >= LEAST_PACKED_BYTES && acceptsGzip(req.header('accept-encoding'))
  const headers = new Headers({
    'content-type': document.contentType,
    'cache-control': `public, max-age=${document.maxAgeSeconds}`,
    // A strong validator names one sequence of bytes, so each coding has its own.
    etag: isPacked ? `"${plain}-gzip"` : `"${plain}"`,
    vary: 'Accept-Encoding',
    'x-content-type-options': 'nosniff',
    ...(lastModified && { 'last-modified': lastModified.toUTCString() }),
    ...document.headers,
  })
  if (isFresh(context, plain, lastModified)) return new Response(null, { status: 304, headers })
  if (!isPacked) return new Response(body, { headers })
  headers.set('content-encoding', 'gzip')
  return new Response(new Uint8Array(await pack(body)), { headers })
}

/** If-None-Match decides where it is sent; else If-Modified-Since, by whole seconds (RFC 9110 section 13.2.2). */
function isFresh({ req }: Context, etag: string, lastModified: Date | undefined): boolean {
  const known = req.header('if-none-match')
  if (known !== undefined) {
    const tags = known.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
    return tags.some((tag) => tag === '*' || tag === `"${etag}"` || tag === `"${etag}-gzip"`)
  }
  const since = Date.parse(req.header('if-modified-since') ?? '')
  return lastModified !== undefined && Math.floor(lastModified.getTime() / 1000) * 1000 <= since
}

/** Whether gzip is named, or anything, with a weight above zero. */
export function acceptsGzip(header: string | undefined): boolean {
  return (header ?? '').split(',').some((part) => {
    const [coding = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    return (coding === 'gzip' || coding === '*') && Number(weight?.slice(2) ?? 1) > 0
  })
}
