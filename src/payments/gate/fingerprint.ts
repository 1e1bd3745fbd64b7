import { createHash } from 'node:crypto'
import { isRawNumber } from '../../catalogue/arguments/exact-json.ts'
import type { Endpoint } from '../../catalogue/endpoint.ts'
import type { ReadRequest } from '../../catalogue/exchange.ts'
import type { KeyedHash } from '../ledger/keyed-hash.ts'

/**
 * What a payment was presented for: two requests have one fingerprint when they ask for the same answer.
 * The host, GET or POST, and all headers but the asked format and the version make no difference.
 */
export function fingerprintOf(
  keyedHash: KeyedHash,
  request: {
    readonly endpoint: Endpoint
    readonly read: ReadRequest
    readonly accept: string
    readonly ifMatch: string
  },
): string {
  const files = [...request.read.files].map(([field, file]) => [
    field,
    file.contentType,
    createHash('sha256').update(file.bytes).digest('hex'),
  ])
  const text = canonicalJson([
    request.endpoint.id,
    request.read.input,
    files.sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    formatOf(request.accept),
    request.ifMatch,
  ])
  return keyedHash('request', text)
}

/**
 * JSON with sorted member names and no white space, as RFC 8785 orders it. Members that are undefined are
 * absent; integers beyond JSON are written with a trailing n.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null || isRawNumber(value))
    return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (value instanceof Date) return JSON.stringify(value)
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`)
  return `{${members.join(',')}}`
}

/** The first media type of `Accept`; whoever asks for anything gets JSON (RFC 9110 section 12.5.1). */
function formatOf(accept: string): string {
  const first = accept.split(/[,;]/, 1)[0]?.trim().toLowerCase() ?? ''
  return first === '' || first === '*/*' ? 'application/json' : first
}
