import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

/** The first byte of a cursor: the version of its layout. */
const VERSION = 1
const IV_BYTES = 12
const TAG_BYTES = 16

/** The listing that a cursor continues: it opens only for the same operation with the same filters. */
export type Listing = {
  readonly operation: string
  /** The parameters of the call without the cursor; their order does not matter. */
  readonly filters: Readonly<Record<string, unknown>>
}

/** Converts positions of a source to opaque cursors, which nobody else can create, read or use for another listing. */
export type Cursors = {
  readonly seal: (listing: Listing, position: string) => string
  /** The position; null if the cursor was not sealed for this listing with this key. */
  readonly open: (listing: Listing, cursor: string) => string | null
}

/**
 * Cursors by AES-256-GCM, with the listing as additional authenticated data (NIST SP 800-38D: the tag covers
 * both).
 * @param key 32 bytes, the same in all processes of a service.
 */
export function createCursors(key: Uint8Array): Cursors {
  return {
    seal(listing, position) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(digest(listing))
      const sealed = Buffer.concat([cipher.update(position, 'utf8'), cipher.final()])
      return Buffer.concat([Uint8Array.of(VERSION), iv, sealed, cipher.getAuthTag()]).toString('base64url')
    },
    open(listing, cursor) {
      const bytes = Buffer.from(cursor, 'base64url')
      // Node also decodes other spellings of the same bytes; only ours is accepted.
      if (bytes.toString('base64url') !== cursor) return null
      if (bytes.length < 1 + IV_BYTES + TAG_BYTES || bytes[0] !== VERSION) return null
      const iv = bytes.subarray(1, 1 + IV_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', key, iv)
      decipher.setAAD(digest(listing)).setAuthTag(bytes.subarray(-TAG_BYTES))
      try {
        const text = decipher.update(bytes.subarray(1 + IV_BYTES, -TAG_BYTES), undefined, 'utf8')
        return text + decipher.final('utf8')
      } catch {
        return null
      }
    },
  }
}

function digest({ operation, filters }: Listing): Uint8Array {
  const sorted = Object.keys(filters)
    .filter((name) => filters[name] !== undefined)
    .sort()
    .map((name) => [name, filters[name]])
  return createHash('sha256')
    .update(JSON.stringify([operation, sorted]))
    .digest()
}
