import type { Context } from 'hono'
import { readHeader } from './read-header.ts'
import { acceptsGzip, isFresh, toFreshHeaders } from './serve-document.ts'

/** Whole answers by what was asked; each is given again until something is published, or it is too old. */
export type KeptAnswers = {
  /** Undefined when nothing of the kind was given lately. @param version what is published now. */
  find(context: Context, version: string): KeptAnswer | undefined
  /** Reads an answer to its end and keeps it. @param made by which route, and from what is published. */
  keep(context: Context, response: Response, made: Made): Promise<KeptAnswer>
}

type Made = {
  /** The label of its metrics. */
  readonly routeName: string | null
  /** What was published before the answer was computed. */
  readonly version: string
}

export type KeptAnswer = {
  readonly routeName: string | null
  /** The answer to a request for it, whole or as 304. @param requestId is all that differs from the last one. */
  give(context: Context, requestId: string): Response
}

type Entry = KeptAnswer & {
  readonly version: string
  readonly keptAtMs: number
  readonly sizeBytes: number
}

/** What an answer takes beside its body, about. */
const HEAD_BYTES = 2_000

/**
 * @param options.keptMs how long an answer is given again at most.
 * @param options.maxBytes about as much memory as the answers take at most.
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

/** Whether an answer depends on nothing but its path, its query, and what `keyOf` looks at. */
export function canBeKept(response: Response): boolean {
  // Documents have a strong validator, which names their bytes; nothing that streams has one.
  const isDocument = response.headers.get('etag')?.startsWith('"') ?? false
  return isDocument && (response.status === 200 || response.status === 304)
}

/** What the documents of this service vary by (RFC 9110 section 12.5.5): packed or not, for people or not. */
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
  // Both codings carry the tag of the text, the packed one with an ending.
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
