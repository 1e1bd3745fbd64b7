import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { on } from 'node:events'
import { connect, isIPv6 } from 'node:net'

export type DnsQuery = {
  /** In DNS form; empty for the root. */
  readonly name: string
  readonly type: number
  /** Whether the resolver shall return records that fail its validation (CD, RFC 4035 section 3.2.2). */
  readonly isUnchecked: boolean
}

/** The header of an answer; null if none came in time. */
export type DnsReply = {
  readonly code: number
  /** The AD bit. */
  readonly isAuthentic: boolean
} | null

type Target = { readonly server: string; readonly signal: AbortSignal }

/** Of the header (RFC 1035 section 4.1.1, RFC 4035 section 3.2). */
const [RESPONSE, TRUNCATED, RECURSION, AUTHENTIC, UNCHECKED] = [0x8000, 0x0200, 0x0100, 0x0020, 0x0010]
const HEADER_BYTES = 12
/** Fits a datagram that no network fragments (DNS flag day 2020). */
const UDP_BYTES = 1232
/** The option record of EDNS (RFC 6891). */
const EDNS = Buffer.of(0, 0, 41, UDP_BYTES >> 8, UDP_BYTES & 255, 0, 0, 0, 0, 0, 0)
/** Datagrams get lost. */
const TRIES = 2

/**
 * Sends a query for the AD bit, which `node:dns` does not return. The query has the AD bit instead of DO (RFC 6840
 * section 5.7), so that the answer has no signatures.
 * @param timeoutMs of one attempt
 */
export async function queryServer(
  query: DnsQuery,
  {
    server,
    timeoutMs,
    signal,
  }: { readonly server: string; readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<DnsReply> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const bytes = encodeQuery(query)
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    try {
      const flags = await askByUdp(bytes, { server, signal: limit })
      // A truncated answer never has AD.
      const whole = flags & TRUNCATED ? await askByTcp(bytes, { server, signal: limit }) : flags
      return { code: whole & 15, isAuthentic: (whole & AUTHENTIC) !== 0 }
    } catch (error) {
      // A timeout, or a server that cannot be connected to.
      if (!(error instanceof Error)) throw error
    }
  }
  return null
}

function encodeQuery({ name, type, isUnchecked }: DnsQuery): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt16BE(randomInt(65_536), 0)
  header.writeUInt16BE(RECURSION | AUTHENTIC | (isUnchecked ? UNCHECKED : 0), 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(1, 10)
  const labels = name === '' ? [] : name.split('.')
  const encoded = labels.map((label) =>
    Buffer.concat([Buffer.of(label.length), Buffer.from(label, 'latin1')]),
  )
  return Buffer.concat([header, ...encoded, Buffer.of(0, type >> 8, type & 255, 0, 1), EDNS])
}

/** The flags of an answer to the query; null if the message is none. Servers repeat the question as it was sent. */
function readFlags(message: Buffer, query: Buffer): number | null {
  const end = query.length - EDNS.length
  if (message.length < end || message.readUInt16BE(0) !== query.readUInt16BE(0)) return null
  if (!message.subarray(HEADER_BYTES, end).equals(query.subarray(HEADER_BYTES, end))) return null
  const flags = message.readUInt16BE(2)
  return flags & RESPONSE ? flags : null
}

async function askByUdp(query: Buffer, { server, signal }: Target): Promise<number> {
  const { host, port } = parseServer(server)
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
  try {
    const messages = on(socket, 'message', { signal })
    // Connected: datagrams from other addresses are dropped by the kernel. A callback of `connect` would also be
    // called with its error; without one the error ends `messages`.
    socket.on('connect', () => socket.send(query))
    socket.connect(port, host)
    for await (const [message] of messages) {
      const flags = readFlags(message, query)
      // Anyone may send to the port: only the answer to the question ends the wait.
      if (flags !== null) return flags
    }
    throw new Error('no answer')
  } finally {
    socket.close()
  }
}

/** RFC 7766: two bytes of length before each message. */
async function askByTcp(query: Buffer, { server, signal }: Target): Promise<number> {
  const socket = connect({ ...parseServer(server), signal })
  try {
    socket.write(Buffer.concat([Buffer.of(query.length >> 8, query.length & 255), query]))
    let received = Buffer.alloc(0)
    for await (const bytes of socket) {
      received = Buffer.concat([received, bytes])
      const flags = readFlags(received.subarray(2), query)
      if (flags !== null) return flags
    }
    throw new Error('the connection was closed')
  } finally {
    socket.destroy()
  }
}

/** `1.1.1.1`, `1.1.1.1:53`, `2001:db8::1` or `[2001:db8::1]:53`. */
function parseServer(server: string): { readonly host: string; readonly port: number } {
  if (isIPv6(server)) return { host: server, port: 53 }
  const [, v6, v4, port = '53'] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(server) ?? []
  return { host: v6 ?? v4 ?? server, port: Number(port) }
}
