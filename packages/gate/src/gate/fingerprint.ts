import { createHash } from 'node:crypto'
import { createPace, type Pace } from '@tollbook/flow/pace'
import type { KeyedHash } from '../calls/keyed-hash.ts'
import type { Exchange, ReadRequest } from '../contract/exchange.ts'
import type { PaidRoute } from '../contract/paid-route.ts'
import { canonicalPieces } from './canonical-json.ts'

/** Bytes of a file hashed at once; a millisecond. */
const HASHED_AT_ONCE = 1_048_576

/**
 * Identifies the request that a payment was presented for: two requests have the same fingerprint if they ask
 * for the same answer. The host, GET or POST, and all headers except the requested format and version make no
 * difference.
 */
export async function fingerprintOf(
  keyedHash: KeyedHash,
  { endpoint, request: { headers } }: Pick<Exchange, 'endpoint' | 'request'>,
  read: ReadRequest,
): Promise<string> {
  const pace = createPace()
  const files: [string, string, string][] = []
  for (const [field, file] of read.files)
    files.push([field, file.contentType, await hashFile(file.bytes, pace)])
  const pieces = canonicalPieces([
    endpoint.id,
    withFormer(read.input, endpoint.formerDefaults),
    files.sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    formatOf(headers.get('accept') ?? ''),
    headers.get('if-match') ?? '',
  ])
  const first = pieces.next().value ?? ''
  let next = pieces.next()
  if (next.done) return keyedHash('request', first)
  const long = keyedHash.begin('request')
  long.update(first)
  for (; !next.done; next = pieces.next()) {
    long.update(next.value)
    await pace.rest()
  }
  return long.digest()
}

/** Arguments are an object. */
function withFormer(input: unknown, former: PaidRoute['formerDefaults']): unknown {
  return former && typeof input === 'object' ? { ...former, ...input } : input
}

async function hashFile(bytes: Uint8Array, pace: Pace): Promise<string> {
  const hash = createHash('sha256')
  for (let at = 0; at < bytes.byteLength; at += HASHED_AT_ONCE) {
    hash.update(bytes.subarray(at, at + HASHED_AT_ONCE))
    await pace.rest()
  }
  return hash.digest('hex')
}

/** The first media type of `Accept`; JSON if any is accepted (RFC 9110 section 12.5.1). */
function formatOf(accept: string): string {
  const first = accept.split(/[,;]/, 1)[0]?.trim().toLowerCase() ?? ''
  return first === '' || first === '*/*' ? 'application/json' : first
}
