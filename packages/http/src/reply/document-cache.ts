import type { RequestHead } from '../request/message-request.ts'
import { acceptsHtml, type Document } from './document.ts'

/** Caches documents by request; each is reused until something is published or it expires. */
export type DocumentCache = {
  /** The cached document for a request, or what `make` returns, which is cached if it is a document. */
  get<Made extends { readonly kind: string }>(
    request: RequestHead,
    make: () => Promise<Made>,
  ): Promise<Made | Document>
}

/** Identifies everything that documents are built from. */
export type PublishedVersion = {
  /** The cached version; undefined when it has expired. */
  fresh(): string | undefined
  /** Queries the store once for all concurrent callers. */
  read(): Promise<string>
}

export type DocumentCacheOptions = {
  readonly published: PublishedVersion
  /** How long a document is reused at most. */
  readonly ttlMs: number
  /** Approximate memory limit. */
  readonly maxBytes: number
}

type Entry = {
  readonly document: Document
  readonly version: string
  readonly cachedAtMs: number
  readonly sizeBytes: number
}

/** Approximate size of an entry in addition to its body. */
const HEAD_BYTES = 2_000

export function createDocumentCache({ published, ttlMs, maxBytes }: DocumentCacheOptions): DocumentCache {
  const entries = new Map<string, Entry>()
  let sizeBytes = 0

  function remove(key: string): void {
    sizeBytes -= entries.get(key)?.sizeBytes ?? 0
    entries.delete(key)
  }

  function find(key: string, version: string): Document | undefined {
    const entry = entries.get(key)
    if (!entry) return undefined
    if (entry.version === version && performance.now() - entry.cachedAtMs < ttlMs) return entry.document
    remove(key)
    return undefined
  }

  function keep(key: string, version: string, document: Document): void {
    const sizeOfBody = sizeOf(document)
    if (sizeOfBody === null) return
    const entry = {
      document,
      version,
      cachedAtMs: performance.now(),
      sizeBytes: HEAD_BYTES + 2 * key.length + sizeOfBody,
    }
    remove(key)
    entries.set(key, entry)
    sizeBytes += entry.sizeBytes
    for (const oldest of entries.keys()) {
      if (sizeBytes <= maxBytes) break
      remove(oldest)
    }
  }

  return {
    async get(request, make) {
      const isRead = request.method === 'GET' || request.method === 'HEAD'
      // Without a version nothing is cached: the store does not answer, which `make` will report if it matters.
      const version = isRead ? (published.fresh() ?? (await published.read().catch(() => null))) : null
      if (version === null) return make()
      const key = keyOf(request)
      const document = find(key, version)
      if (document) return document
      const answer = await make()
      if (isDocument(answer)) keep(key, version, answer)
      return answer
    },
  }
}

/** What documents depend on besides the version: path, query, and whether HTML is accepted. */
function keyOf({ url, headers }: RequestHead): string {
  const target = url.slice(url.indexOf('/', url.indexOf('//') + 2))
  return acceptsHtml(headers.get('accept')) ? `h${target}` : target
}

function isDocument(answer: { readonly kind: string }): answer is Document {
  return answer.kind === 'document'
}

/** Characters take up to two bytes, and the compressed form less than one each; null for live content. */
function sizeOf({ content }: Document): number | null {
  return 'open' in content ? null : 3 * content.body.length
}
