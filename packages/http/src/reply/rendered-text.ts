import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

const pack = promisify(gzip)

/** A text that is ready to be served. */
export type RenderedText = {
  readonly body: string
  /** Validator without quotes. */
  readonly etag: string
  /** The text in gzip, compressed on first use. */
  packed(): Promise<Uint8Array<ArrayBuffer>>
}

/** @param etag identifies exactly this text; default its hash. */
export function toRenderedText(body: string, etag: string = hashText(body)): RenderedText {
  let packed: Promise<Uint8Array<ArrayBuffer>> | undefined
  return {
    body,
    etag,
    packed() {
      packed ??= pack(body).then((bytes) => new Uint8Array(bytes))
      return packed
    },
  }
}

/** The strong validator of a text: 128 bits of its SHA-256, without the quotes of the header. */
export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22)
}

/** Caches rendered texts; evicts the least recently used first. */
export type RenderCache = {
  /** @param key names the text and everything it was made from, so that an entry never becomes stale. */
  render(key: string, make: () => RenderedText | Promise<RenderedText>): Promise<RenderedText>
}

/** @param maxBytes approximate memory limit of the cache. */
export function createRenderCache(maxBytes: number): RenderCache {
  const texts = new Map<string, RenderedText>()
  let sizeBytes = 0
  return {
    async render(key, make) {
      const known = texts.get(key)
      if (known) {
        // Re-inserted, so that the map's order is the order of last use.
        texts.delete(key)
        texts.set(key, known)
        return known
      }
      const made = await make()
      if (!texts.has(key)) sizeBytes += sizeOf(key, made)
      texts.set(key, made)
      for (const [oldest, text] of texts) {
        if (sizeBytes <= maxBytes) break
        texts.delete(oldest)
        sizeBytes -= sizeOf(oldest, text)
      }
      return made
    },
  }
}

/** Characters take up to two bytes, and the compressed form less than one each. */
function sizeOf(key: string, { body }: RenderedText): number {
  return 2 * key.length + 3 * body.length
}
