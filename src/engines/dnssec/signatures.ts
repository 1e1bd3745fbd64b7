import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { type DnsRecord, readName, TYPES } from './message.ts'
import { encodeName, equalNames, isWithin, lastLabels, type Name, renderName } from './name.ts'

/** A public key of a zone (RFC 4034 section 2). */
export type ZoneKey = {
  readonly tag: number
  readonly algorithm: number
  readonly flags: number
  readonly data: Buffer
}

/** The digest of a zone's key that its parent publishes (RFC 4034 section 5). */
export type Delegation = {
  readonly tag: number
  readonly algorithm: number
  readonly digestType: number
  readonly digest: Buffer
}

/** Records of one owner and type. */
export type RecordSet = {
  readonly owner: Name
  readonly type: number
  readonly records: readonly DnsRecord[]
}

export type Verdict =
  /** @property labels of the name that was signed; fewer than the owner's if a wildcard produced the records */
  | { readonly isValid: true; readonly labels: number; readonly tag: number }
  | { readonly isValid: false; readonly reason: string }

export type VerifyOptions = {
  readonly zone: Name
  readonly keys: readonly ZoneKey[]
  readonly signatures: readonly DnsRecord[]
  readonly nowSeconds: number
  /** Verifications that remain; a hostile zone multiplies keys by signatures (CVE-2023-50387). */
  readonly budget: { verifications: number }
}

const ZONE_FLAG = 0x0100
const REVOKED_FLAG = 0x0080
const HASHES: Readonly<Record<number, string>> = {
  5: 'RSA-SHA1',
  7: 'RSA-SHA1',
  8: 'RSA-SHA256',
  10: 'RSA-SHA512',
  13: 'sha256',
  14: 'sha384',
}
const CURVES: Readonly<Record<number, readonly [kty: string, crv: string, bytes: number]>> = {
  13: ['EC', 'P-256', 32],
  14: ['EC', 'P-384', 48],
  15: ['OKP', 'Ed25519', 32],
  16: ['OKP', 'Ed448', 57],
}
const DIGESTS: Readonly<Record<number, string>> = { 1: 'sha1', 2: 'sha256', 4: 'sha384' }

export function parseKey({ data }: DnsRecord): ZoneKey {
  return { tag: keyTag(data), algorithm: data.readUInt8(3), flags: data.readUInt16BE(0), data }
}

export function parseDelegation({ data }: DnsRecord): Delegation {
  const [tag, algorithm, digestType] = [data.readUInt16BE(0), data.readUInt8(2), data.readUInt8(3)]
  return { tag, algorithm, digestType, digest: data.subarray(4) }
}

export function isSupportedAlgorithm(algorithm: number): boolean {
  return algorithm in HASHES || algorithm in CURVES
}

/** Digests whose type and key can be checked here; SHA-1 only if there is no better one (RFC 4509 section 3). */
export function supportedDelegations(all: readonly Delegation[]): readonly Delegation[] {
  const known = all.filter((ds) => ds.digestType in DIGESTS && isSupportedAlgorithm(ds.algorithm))
  const better = known.filter((ds) => ds.digestType !== 1)
  return better.length > 0 ? better : known
}

export function matchesDelegation(key: ZoneKey, ds: Delegation, zone: Name): boolean {
  if (key.tag !== ds.tag || key.algorithm !== ds.algorithm || !isZoneKey(key)) return false
  const digest = createHash(DIGESTS[ds.digestType] ?? 'sha256')
    .update(encodeName(zone))
    .update(key.data)
  return digest.digest().equals(ds.digest)
}

/** RFC 4035 section 5.3: whether a key of the zone signed the records, and the signature is valid now. */
export function verifyRecords(set: RecordSet, options: VerifyOptions): Verdict {
  const what = `${renderName(set.owner)} ${typeName(set.type)}`
  const candidates = options.signatures.filter(
    ({ owner, data }) =>
      data.length > 18 && equalNames(owner, set.owner) && data.readUInt16BE(0) === set.type,
  )
  let reason = `${what} has no signature`
  for (const { data } of candidates) {
    const [algorithm, labels, tag] = [data.readUInt8(2), data.readUInt8(3), data.readUInt16BE(16)]
    const [signer, end] = readName(data, 18)
    const fault = findFault({ data, signer, labels, set, options })
    if (fault !== null) {
      reason = `the signature of ${what} ${fault}`
      continue
    }
    const keys = options.keys.filter(
      (key) => key.tag === tag && key.algorithm === algorithm && isZoneKey(key),
    )
    reason = `the signature of ${what} is by key ${tag}, which ${renderName(options.zone)} does not have`
    for (const key of keys) {
      if (--options.budget.verifications < 0)
        return { isValid: false, reason: 'too many signatures and keys' }
      const message = signedData(set, { head: data.subarray(0, end), labels })
      if (isSignedBy(key, { message, signature: data.subarray(end) })) return { isValid: true, labels, tag }
      reason = `the signature of ${what} by key ${tag} does not match`
    }
  }
  return { isValid: false, reason }
}

type Signature = {
  readonly data: Buffer
  readonly signer: Name
  readonly labels: number
  readonly set: RecordSet
  readonly options: VerifyOptions
}

function findFault({ data, signer, labels, set, options }: Signature): string | null {
  const [expiration, inception] = [data.readUInt32BE(8), data.readUInt32BE(12)]
  // Serial arithmetic (RFC 4034 section 3.1.5).
  if (((expiration - options.nowSeconds) | 0) < 0) return `expired at ${renderTime(expiration)}`
  if (((options.nowSeconds - inception) | 0) < 0) return `is valid only from ${renderTime(inception)}`
  if (!equalNames(signer, options.zone) || !isWithin(set.owner, signer))
    return `is by ${renderName(signer)}, not ${renderName(options.zone)}`
  const ownLabels = set.owner[0] === '*' ? set.owner.length - 1 : set.owner.length
  return labels > ownLabels ? 'has too many labels' : null
}

function renderTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000', '')
}

function signedData(
  set: RecordSet,
  { head, labels }: { readonly head: Buffer; readonly labels: number },
): Buffer {
  const owner = labels < set.owner.length ? ['*', ...lastLabels(set.owner, labels)] : set.owner
  const prefix = Buffer.alloc(8)
  prefix.writeUInt16BE(set.type, 0)
  prefix.writeUInt16BE(1, 2)
  head.copy(prefix, 4, 4, 8)
  const sorted = set.records.map(({ data }) => data).sort(Buffer.compare)
  const distinct = sorted.filter((data, at) => at === 0 || !data.equals(sorted[at - 1] ?? data))
  const records = distinct.flatMap((data) => {
    const length = Buffer.of(data.length >> 8, data.length & 255)
    return [encodeName(owner), prefix, length, data]
  })
  return Buffer.concat([head, ...records])
}

function isSignedBy(
  key: ZoneKey,
  { message, signature }: { readonly message: Buffer; readonly signature: Buffer },
): boolean {
  try {
    const publicKey = importKey(key)
    if (publicKey === null) return false
    return verify(HASHES[key.algorithm], message, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)
  } catch {
    return false
  }
}

function importKey({ algorithm, data }: ZoneKey): KeyObject | null {
  const bytes = data.subarray(4)
  const curve = CURVES[algorithm]
  if (curve) {
    const [kty, crv, size] = curve
    const x = bytes.toString('base64url', 0, size)
    const y = bytes.toString('base64url', size)
    return createPublicKey({ key: kty === 'EC' ? { kty, crv, x, y } : { kty, crv, x }, format: 'jwk' })
  }
  if (!(algorithm in HASHES)) return null
  // RFC 3110 section 2: the length of the exponent in one byte, or zero and then two.
  const isLong = bytes.readUInt8(0) === 0
  const start = isLong ? 3 : 1
  const end = start + (isLong ? bytes.readUInt16BE(1) : bytes.readUInt8(0))
  // Larger ones are only for burning time (RFC 3110: at most 4,096 bits).
  if (bytes.length - end > 512 || end - start > 8) return null
  const jwk = { kty: 'RSA', e: bytes.toString('base64url', start, end), n: bytes.toString('base64url', end) }
  return createPublicKey({ key: jwk, format: 'jwk' })
}

function isZoneKey({ flags, data }: ZoneKey): boolean {
  return (flags & ZONE_FLAG) !== 0 && (flags & REVOKED_FLAG) === 0 && data.readUInt8(2) === 3
}

/** RFC 4034 appendix B. */
function keyTag(data: Buffer): number {
  let sum = 0
  for (const [at, byte] of data.entries()) sum += at % 2 === 0 ? byte * 256 : byte
  return (sum + (sum >>> 16)) & 0xffff
}

function typeName(type: number): string {
  return Object.entries(TYPES).find(([, number]) => number === type)?.[0] ?? `TYPE${type}`
}
