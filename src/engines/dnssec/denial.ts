import { createHash } from 'node:crypto'
import { readName, TYPES } from './message.ts'
import { compareNames, encodeName, equalNames, isWithin, lastLabels, type Name } from './name.ts'
import type { RecordSet } from './signatures.ts'

/**
 * What signed NSEC or NSEC3 records prove about a name and type. `delegation`: another zone begins at the name,
 * which this zone has no digest of. `opt_out`: an unsigned zone may begin there. Null: they prove nothing.
 */
export type Denial = 'no_data' | 'no_name' | 'delegation' | 'opt_out' | 'costly' | null

type Question = { readonly name: Name; readonly type: number; readonly zone: Name }
type Kind = { readonly types: ReadonlySet<number> }
type Nsec = Kind & { readonly owner: Name; readonly next: Name }
type Nsec3 = Kind & {
  readonly hash: string
  readonly next: string
  readonly isOptOut: boolean
  readonly iterations: number
  readonly salt: Buffer
}

/** RFC 9276 section 3.2: resolvers treat zones with more as unsigned. */
const MAX_ITERATIONS = 50
const BASE32 = '0123456789abcdefghijklmnopqrstuv'

/** @param sets verified NSEC and NSEC3 records of the zone */
export function readDenial(sets: readonly RecordSet[], question: Question): Denial {
  const nsecs = sets.filter(({ type }) => type === TYPES.NSEC).flatMap(parseNsec)
  if (nsecs.length > 0) return denyByNsec(nsecs, question)
  const nsec3s = sets
    .filter(({ type }) => type === TYPES.NSEC3)
    .flatMap((set) => parseNsec3(set, question.zone))
  if (nsec3s.some(({ iterations }) => iterations > MAX_ITERATIONS)) return 'costly'
  return nsec3s.length > 0 ? denyByNsec3(nsec3s, question) : null
}

/**
 * Whether no name is closer to this one than the wildcard that produced its records (RFC 4035 section 5.3.4).
 * @param labels of the wildcard's parent
 */
export function provesWildcard(
  sets: readonly RecordSet[],
  { name, zone, labels }: { readonly name: Name; readonly zone: Name; readonly labels: number },
): boolean {
  const nsecs = sets.filter(({ type }) => type === TYPES.NSEC).flatMap(parseNsec)
  const nsec3s = sets.filter(({ type }) => type === TYPES.NSEC3).flatMap((set) => parseNsec3(set, zone))
  const [first] = nsec3s
  if (nsecs.some((nsec) => covers(nsec, name))) return true
  if (first === undefined || first.iterations > MAX_ITERATIONS) return false
  const hash = hashName(lastLabels(name, labels + 1), first)
  return nsec3s.some((nsec3) => coversHash(nsec3, hash))
}

function denyByNsec(nsecs: readonly Nsec[], question: Question): Denial {
  const { name, type } = question
  const own = nsecs.find(({ owner }) => equalNames(owner, name))
  if (own) return denyByTypes(own, question)
  const covering = nsecs.find((nsec) => covers(nsec, name) && !isCut(nsec, name))
  if (!covering) return null
  // An empty non-terminal: only names below it exist.
  if (isWithin(covering.next, name)) return 'no_data'
  const shared = Math.max(commonLabels(covering.owner, name), commonLabels(covering.next, name))
  const wildcard = ['*', ...lastLabels(name, shared)]
  const matching = nsecs.find(({ owner }) => equalNames(owner, wildcard))
  if (matching) return isWithout(matching, type) ? 'no_data' : null
  return nsecs.some((nsec) => covers(nsec, wildcard)) ? 'no_name' : null
}

function denyByNsec3(nsec3s: readonly Nsec3[], question: Question): Denial {
  const { name, type, zone } = question
  const [first] = nsec3s
  if (!first) return null
  const find = (labels: Name) => {
    const hash = hashName(labels, first)
    return {
      match: nsec3s.find((nsec3) => nsec3.hash === hash),
      cover: nsec3s.find((nsec3) => coversHash(nsec3, hash)),
    }
  }
  const own = find(name).match
  if (own) return denyByTypes(own, question)
  for (let labels = name.length - 1; labels >= zone.length; labels--) {
    const encloser = find(lastLabels(name, labels)).match
    if (!encloser) continue
    const { types } = encloser
    if (types.has(TYPES.DNAME) || (types.has(TYPES.NS) && !types.has(TYPES.SOA))) return null
    const nextCloser = find(lastLabels(name, labels + 1)).cover
    if (!nextCloser) return null
    if (nextCloser.isOptOut) return 'opt_out'
    const wildcard = find(['*', ...lastLabels(name, labels)])
    if (wildcard.match) return isWithout(wildcard.match, type) ? 'no_data' : null
    return wildcard.cover ? 'no_name' : null
  }
  return null
}

/** What the types of the name itself say (RFC 6840 section 4.1 and 4.4). */
function denyByTypes(own: Kind, { name, type }: Question): Denial {
  const { types } = own
  if (!isWithout(own, type)) return null
  const isChild = types.has(TYPES.SOA)
  if (type === TYPES.DS) {
    // A child's own records say nothing about its parent's.
    if (isChild && name.length > 0) return null
    return types.has(TYPES.NS) ? 'delegation' : 'no_data'
  }
  return types.has(TYPES.NS) && !isChild ? null : 'no_data'
}

function isWithout({ types }: Kind, type: number): boolean {
  return !types.has(type) && !types.has(TYPES.CNAME)
}

/** Whether the name lies below another zone or a redirection, of which this record's zone knows nothing. */
function isCut({ owner, types }: Nsec, name: Name): boolean {
  return isWithin(name, owner) && (types.has(TYPES.DNAME) || (types.has(TYPES.NS) && !types.has(TYPES.SOA)))
}

function covers({ owner, next }: Nsec, name: Name): boolean {
  const isAfter = compareNames(owner, name) < 0
  const isBefore = compareNames(name, next) < 0
  // The last record of a zone leads back to its apex.
  return compareNames(next, owner) <= 0 ? isAfter || isBefore : isAfter && isBefore
}

function coversHash({ hash, next }: Nsec3, wanted: string): boolean {
  return next <= hash ? wanted > hash || wanted < next : wanted > hash && wanted < next
}

function commonLabels(one: Name, other: Name): number {
  let count = 0
  while (count < one.length && count < other.length && one.at(-count - 1) === other.at(-count - 1)) count++
  return count
}

function parseNsec({ owner, records }: RecordSet): readonly Nsec[] {
  return records.map(({ data }) => {
    const [next, end] = readName(data, 0)
    return { owner, next, types: readTypes(data.subarray(end)) }
  })
}

/** RFC 5155 section 3.2; records of another hash or with unknown flags are ignored (section 8.1 and 8.2). */
function parseNsec3({ owner, records }: RecordSet, zone: Name): readonly Nsec3[] {
  const [hash = '', ...parent] = owner
  if (!equalNames(parent, zone)) return []
  return records.flatMap(({ data }) => {
    if (data.readUInt8(0) !== 1 || data.readUInt8(1) > 1) return []
    const saltEnd = 5 + data.readUInt8(4)
    const nextEnd = saltEnd + 1 + data.readUInt8(saltEnd)
    return {
      hash,
      next: toBase32(data.subarray(saltEnd + 1, nextEnd)),
      isOptOut: data.readUInt8(1) === 1,
      iterations: data.readUInt16BE(2),
      salt: data.subarray(5, saltEnd),
      types: readTypes(data.subarray(nextEnd)),
    }
  })
}

/** RFC 5155 section 5. */
function hashName(name: Name, { iterations, salt }: Nsec3): string {
  let digest = createHash('sha1').update(encodeName(name)).update(salt).digest()
  for (let round = 0; round < iterations; round++)
    digest = createHash('sha1').update(digest).update(salt).digest()
  return toBase32(digest)
}

/** RFC 4648 section 7, lower case; 20 bytes need no padding. */
function toBase32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{5}/g) ?? []).map((five) => BASE32[Number.parseInt(five, 2)]).join('')
}

/** RFC 4034 section 4.1.2. */
function readTypes(bitmap: Buffer): ReadonlySet<number> {
  const types = new Set<number>()
  for (let at = 0; at + 2 <= bitmap.length; at += 2 + bitmap.readUInt8(at + 1)) {
    const [block, length] = [bitmap.readUInt8(at), bitmap.readUInt8(at + 1)]
    for (const [offset, byte] of bitmap.subarray(at + 2, at + 2 + length).entries())
      for (let bit = 0; bit < 8; bit++) if (byte & (128 >> bit)) types.add(block * 256 + offset * 8 + bit)
  }
  return types
}
