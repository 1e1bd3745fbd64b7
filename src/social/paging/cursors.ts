import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import * as z from 'zod'
import type { Fault } from '../../http/problem.ts'
import type { SocialPorts } from '../ports.ts'
import type { SocialOperation } from '../source/provider.ts'

/** The parameter that continues a list. */
export const nextToken = z
  .string()
  .min(1)
  .max(1024)
  .optional()
  .describe('meta.next_token of the previous page; absent for the first page.')

type Asked = { readonly next_token?: string | undefined }

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

/**
 * Converts positions of a source to opaque cursors, which nobody else can create, read or use for another
 * listing.
 */
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

/** The list that a call requests: its operation, its source and all parameters except the token. */
function listingOf({ provider }: SocialPorts, operation: SocialOperation, input: Asked): Listing {
  const { next_token, ...filters } = input
  return { operation: `${provider.name}/${operation}`, filters }
}

/** An issue if the token was not issued for this list. */
export function findTokenFaults(
  ports: SocialPorts,
  operation: SocialOperation,
  input: Asked,
): readonly Fault[] {
  if (input.next_token === undefined) return []
  if (positionOf(ports, operation, input) !== null) return []
  const detail =
    'is not a token of this list; send meta.next_token of its last page, with the same parameters'
  return [{ parameter: 'next_token', detail }]
}

/** The source's position to continue from; null for the start. */
export function positionOf(ports: SocialPorts, operation: SocialOperation, input: Asked): string | null {
  if (input.next_token === undefined) return null
  return ports.cursors.open(listingOf(ports, operation, input), input.next_token)
}

/** The token of the next page; null at the end. */
export function toNextToken(
  ports: SocialPorts,
  operation: SocialOperation,
  input: Asked,
  next: string | null,
): string | null {
  return next === null ? null : ports.cursors.seal(listingOf(ports, operation, input), next)
}
