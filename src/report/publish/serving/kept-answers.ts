import type { Context } from 'hono'
import { readHeader } from './read-header.ts'
import { acceptsGzip, isFresh, toFreshHeaders } from './serve-document.ts'

/** Caches whole responses by request; each is reused until something is published or it expires. */
export type KeptAnswers = {
  /** Undefined on a cache miss. @param version what is published now. */
  find(context: Context, version: string): KeptAnswer | undefined
  /**
   * Reads a response to its end and caches it. @param made by which route, and from which published version.
   */
  keep(context: Context, response: Response, made: Made): Promise<KeptAnswer>
}

type Made = {
  /** The label of its metrics. */
  readonly routeName: string | null
  /** The published version when the response was computed. */
  readonly version: string
}

export type KeptAnswer = {
  readonly routeName: string | null
  /** The response to a request, in full or as 304. @param requestId is all that differs from the last one. */
  give(context: Context, requestId: string): Response
}

type Entry = KeptAnswer & {
  readonly version: string
  readonly keptAtMs: number
  readonly sizeBytes: number
}

/** Approximate size of an entry in addition to its body. */
const HEAD_BYTES = 2_000

/**
 * @param options.keptMs how long a response is reused at most.
 * @param options.maxBytes approximate memory limit of the responses.
 */
export function createKeptAnswers(options: {
  readonly keptMs: number
  readonly maxBytes: number
}): KeptAnswers {
  const { keptMs, maxBytes } = options
  const answers = new Map<string, Entry>()
  let sizeBytes = 0

  function remove(key: string): void {
    sizeBytes -= answers.get(key)?.sizeBytes ?? 0
    answers.delete(key)
  }

  return {
    find(context, version) {
      if (context.req.method !== 'GET') return undefined
      const key = keyOf(context)
      const found = answers.get(key)
      if (!found) return undefined
      if (found.version === version && performance.now() - found.keptAtMs < keptMs) return found
      remove(key)
      return undefined
    },
    async keep(context, response, made) {
      const key = keyOf(context)
      const entry = await toEntry(response, made)
      remove(key)
      answers.set(key, entry)
      sizeBytes += entry.sizeBytes
      for (const oldest of answers.keys()) {
        if (sizeBytes <= maxBytes) break
        remove(oldest)
      }
      return entry
    },
  }
}

/** Whether a response depends on nothing but its path, its query, and what `keyOf` reads. */
export function canBeKept(response: Response): boolean {
  // Documents have a strong validator, which identifies their bytes; streams have none.
  const isDocument = response.headers.get('etag')?.startsWith('"') ?? false
  return isDocument && (response.status === 200 || response.status === 304)
}

/** What the documents of this service vary by (RFC 9110 section 12.5.5): content coding, and HTML or JSON. */
function keyOf(context: Context): string {
  const { url } = context.req
  const isPacked = acceptsGzip(readHeader(context, 'accept-encoding'))
  const isPage = (readHeader(context, 'accept') ?? '').includes('text/html')
  return `${isPacked ? 'z' : ''}${isPage ? 'h' : ''}${url.slice(url.indexOf('/', url.indexOf('//') + 2))}`
}

async function toEntry(response: Response, made: Made): Promise<Entry> {
  const headers = Object.fromEntries(response.headers)
  const isPacked = response.headers.has('content-encoding')
  const body = isPacked ? new Uint8Array(await response.arrayBuffer()) : await response.text()
  const freshHeaders = toFreshHeaders(headers)
  // Both codings carry the tag of the text; the compressed one has a suffix.
  const etag = (headers.etag ?? '').slice(1, -1).replace(/-gzip$/, '')
  const modified = headers['last-modified']
  const lastModified = modified === undefined ? undefined : new Date(modified)
  return {
    ...made,
    keptAtMs: performance.now(),
    sizeBytes: HEAD_BYTES + (isPacked ? 1 : 2) * body.length,
    give(context, requestId) {
      if (!isFresh(context, etag, lastModified))
        return new Response(body, { headers: { ...headers, 'x-request-id': requestId } })
      return new Response(null, { status: 304, headers: { ...freshHeaders, 'x-request-id': requestId } })
    },
  }
}
