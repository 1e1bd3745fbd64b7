import { encodeName, equalNames, type Name } from './name.ts'

/** Numbers of record types (IANA, DNS parameters). */
export const TYPES = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  DNAME: 39,
  DS: 43,
  RRSIG: 46,
  NSEC: 47,
  DNSKEY: 48,
  NSEC3: 50,
  CAA: 257,
} as const

export type DnsRecord = {
  readonly owner: Name
  readonly type: number
  readonly ttl: number
  /** In canonical form (RFC 4034 section 6.2): names uncompressed and in lower case. */
  readonly data: Buffer
}

export type DnsMessage = {
  readonly id: number
  readonly rcode: number
  readonly isTruncated: boolean
  readonly question: { readonly name: Name; readonly type: number }
  readonly answers: readonly DnsRecord[]
  readonly authorities: readonly DnsRecord[]
}

export type DnsQuestion = { readonly id: number; readonly name: Name; readonly type: number }

/** Fits a datagram that no network fragments (DNS flag day 2020). */
const UDP_BYTES = 1232
/** More than any signed answer of a name needs. */
const MAX_RECORDS = 500
/** Bytes before the first name in the data of types whose names a server may compress or that sort by case. */
const NAME_OFFSETS: Readonly<Record<number, number>> = {
  2: 0,
  5: 0,
  6: 0,
  12: 0,
  15: 2,
  33: 6,
  39: 0,
  46: 18,
}

/** A query for signatures (DO) whose answer the resolver shall not withhold as bogus (CD; RFC 4035 section 3.2.2). */
export function encodeQuery({ id, name, type }: DnsQuestion): Buffer {
  const header = Buffer.alloc(12)
  header.writeUInt16BE(id, 0)
  header.writeUInt16BE(0x0110, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(1, 10)
  const tail = Buffer.alloc(4)
  tail.writeUInt16BE(type, 0)
  tail.writeUInt16BE(1, 2)
  const edns = Buffer.of(0, 0, 41, UDP_BYTES >> 8, UDP_BYTES & 255, 0, 0, 0x80, 0, 0, 0)
  return Buffer.concat([header, encodeName(name), tail, edns])
}

/** @throws {RangeError} if the message is malformed */
export function parseMessage(bytes: Buffer): DnsMessage {
  const flags = bytes.readUInt16BE(2)
  if ((flags & 0x8000) === 0 || bytes.readUInt16BE(4) !== 1) throw new RangeError('not an answer')
  const [name, afterName] = readName(bytes, 12)
  const reader = { at: afterName + 4 }
  const sections = [6, 8].map((offset) => {
    const count = bytes.readUInt16BE(offset)
    if (count > MAX_RECORDS) throw new RangeError('too many records')
    return Array.from({ length: count }, () => readRecord(bytes, reader)).filter((record) => record !== null)
  })
  const [answers = [], authorities = []] = sections
  const question = { name, type: bytes.readUInt16BE(afterName) }
  const isTruncated = (flags & 0x0200) !== 0
  return { id: bytes.readUInt16BE(0), rcode: flags & 15, isTruncated, question, answers, authorities }
}

export function isAnswerTo(message: DnsMessage, { id, name, type }: DnsQuestion): boolean {
  const { question } = message
  return message.id === id && question.type === type && equalNames(question.name, name)
}

/** Null for a record of another class. */
function readRecord(bytes: Buffer, reader: { at: number }): DnsRecord | null {
  const [owner, at] = readName(bytes, reader.at)
  const type = bytes.readUInt16BE(at)
  const start = at + 10
  const end = start + bytes.readUInt16BE(at + 8)
  if (end > bytes.length) throw new RangeError('a record ends after the message')
  reader.at = end
  if (bytes.readUInt16BE(at + 2) !== 1) return null
  return { owner, type, ttl: bytes.readUInt32BE(at + 4), data: readData(bytes, { type, start, end }) }
}

function readData(
  bytes: Buffer,
  { type, start, end }: { readonly type: number; readonly start: number; readonly end: number },
): Buffer {
  const offset = NAME_OFFSETS[type]
  if (offset === undefined) return bytes.subarray(start, end)
  const parts = [bytes.subarray(start, start + offset)]
  let at = start + offset
  for (let names = type === TYPES.SOA ? 2 : 1; names > 0; names--) {
    const [name, next] = readName(bytes, at)
    parts.push(encodeName(name))
    at = next
  }
  if (at > end) throw new RangeError('a name ends after its record')
  return Buffer.concat([...parts, bytes.subarray(at, end)])
}

/** The name at a position, and the position after it. Pointers only lead back, so none can loop. */
export function readName(bytes: Buffer, start: number): readonly [name: Name, end: number] {
  const labels: string[] = []
  let end: number | null = null
  let at = start
  let limit = start
  let length = 1
  for (;;) {
    const size = bytes.readUInt8(at)
    if (size >= 0xc0) {
      const target = bytes.readUInt16BE(at) & 0x3fff
      if (target >= limit) throw new RangeError('a name points ahead')
      end ??= at + 2
      limit = target
      at = target
    } else if (size > 63) throw new RangeError('a label is too long')
    else if (size === 0) return [labels, end ?? at + 1]
    else {
      length += size + 1
      if (length > 255 || at + 1 + size > bytes.length) throw new RangeError('a name is too long')
      labels.push(lowerCase(bytes.toString('latin1', at + 1, at + 1 + size)))
      at += size + 1
    }
  }
}

/** Of ASCII only (RFC 4343): `toLowerCase` would change other bytes too. */
function lowerCase(label: string): string {
  return label.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
