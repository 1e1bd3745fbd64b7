import type { RequestHead } from '../request/message-request.ts'
import type { RenderedText } from './rendered-text.ts'
import type { Reply } from './reply.ts'

/** A representation with a validator, which a client may request conditionally and compressed (RFC 9110). */
export type Document = {
  readonly kind: 'document'
  readonly content: RenderedText | LiveContent
  readonly contentType: string
  readonly lastModified?: Date
  /** How long a cache may answer without revalidation, seconds. */
  readonly maxAgeSeconds: number
  readonly headers?: Readonly<Record<string, string>>
}

/** Content that is produced while it is sent. */
export type LiveContent = {
  /** Weak validator without quotes: it is not derived from the bytes. */
  readonly etag: string
  /** The first piece is awaited before the answer begins, so an error there becomes a problem. */
  open(signal: AbortSignal): AsyncIterable<Uint8Array>
}

/** Smaller bodies gain nothing from compression. */
const MIN_PACKED_CHARACTERS = 1024

/** Answers GET or HEAD with a document: 304 if the client has it, compressed if the client accepts gzip. */
export async function serveDocument(request: RequestHead, document: Document): Promise<Reply> {
  const { content, lastModified } = document
  const isLive = 'open' in content
  const isLong = isLive || content.body.length >= MIN_PACKED_CHARACTERS
  const isPacked = isLong && acceptsGzip(request.headers.get('accept-encoding'))
  // A strong validator identifies one sequence of bytes, so each coding has its own.
  const etag = isLive ? `W/"${content.etag}"` : `"${content.etag}${isPacked ? '-gzip' : ''}"`
  const headers: Record<string, string> = {
    etag,
    'cache-control': `public, max-age=${document.maxAgeSeconds}`,
    vary: 'Accept-Encoding',
  }
  const isKnown = isFresh(request, content.etag, lastModified)
  for (const name in document.headers) {
    if (!isKnown || !OF_THE_BODY.has(name)) headers[name] = document.headers[name] ?? ''
  }
  if (isKnown) return { status: 304, headers, body: null }
  headers['content-type'] = document.contentType
  if (lastModified) headers['last-modified'] = lastModified.toUTCString()
  if (isPacked) headers['content-encoding'] = 'gzip'
  if (request.method === 'HEAD') return { status: 200, headers, body: null }
  if (isLive) return { status: 200, headers, body: await openLive(content, request.signal, isPacked) }
  return { status: 200, headers, body: isPacked ? await content.packed() : content.body }
}

/**
 * Headers that a 304 omits, besides type, coding and time: they describe a body which the client already has,
 * identified by its tag (RFC 9110 section 15.4.5).
 */
const OF_THE_BODY: ReadonlySet<string> = new Set(['content-disposition', 'content-security-policy'])

/**
 * Whether the client has this very version. If-None-Match takes precedence where it is sent, otherwise
 * If-Modified-Since, in whole seconds (RFC 9110 section 13.2.2).
 */
function isFresh({ method, headers }: RequestHead, etag: string, lastModified?: Date): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  const known = headers.get('if-none-match')
  if (known !== null) {
    if (known === `"${etag}"`) return true
    const tags = known.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
    return tags.some((tag) => tag === '*' || tag === `"${etag}"` || tag === `"${etag}-gzip"`)
  }
  const since = headers.get('if-modified-since')
  if (since === null || lastModified === undefined) return false
  return Math.floor(lastModified.getTime() / 1000) * 1000 <= Date.parse(since)
}

/** Whether gzip, or `*`, is accepted with a weight above zero. */
function acceptsGzip(header: string | null): boolean {
  return readRanges(header).some(({ name, weight }) => (name === 'gzip' || name === '*') && weight > 0)
}

/** Whether the client accepts HTML explicitly, as browsers do and programs do not, and no JSON before it. */
export function acceptsHtml(accept: string | null): boolean {
  if (!accept?.includes('text/html')) return false
  const named = readRanges(accept).filter(
    ({ name, weight }) => weight > 0 && /^text\/html$|\bjson$/.test(name),
  )
  return named.toSorted((a, b) => b.weight - a.weight)[0]?.name === 'text/html'
}

/** What a header accepts, with the weight of each (RFC 9110 section 12.4.2). */
function readRanges(header: string | null): readonly { readonly name: string; readonly weight: number }[] {
  return (header ?? '').split(',').map((part) => {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    return { name, weight: Number(weight?.slice(2) ?? 1) }
  })
}

async function openLive(
  content: LiveContent,
  signal: AbortSignal,
  isPacked: boolean,
): Promise<ReadableStream<Uint8Array>> {
  const stream = await toStarted(content.open(signal))
  return isPacked ? stream.pipeThrough(new CompressionStream('gzip')) : stream
}

/** The pieces as a stream, whose first piece was awaited: an error there can still become a problem. */
export async function toStarted(
  pieces: AsyncIterable<Uint8Array>,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const rest = pieces[Symbol.asyncIterator]()
  const first = await rest.next()
  return ReadableStream.from(resume(first, rest)) as ReadableStream<Uint8Array<ArrayBuffer>>
}

async function* resume(first: IteratorResult<Uint8Array>, rest: AsyncIterator<Uint8Array>) {
  try {
    for (let next = first; !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}
