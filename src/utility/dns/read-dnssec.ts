import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { connect, isIPv6 } from 'node:net'
import {
  type DnsMessage,
  type DnsQuestion,
  encodeQuery,
  isAnswerTo,
  parseMessage,
  TYPES,
} from '../../engines/dnssec/message.ts'
import { type Name, parseName, renderName } from '../../engines/dnssec/name.ts'
import type { Delegation } from '../../engines/dnssec/signatures.ts'
import {
  DnsQueryError,
  ROOT_ANCHORS,
  type Security,
  type Validation,
  validateType,
  walkToZone,
  type ZoneLink,
} from '../../engines/dnssec/validate-name.ts'

export type DnssecOptions = {
  readonly servers: readonly string[]
  readonly timeoutMs?: number
  /** Digests of the root's keys; by default those that IANA publishes. */
  readonly anchors?: readonly Delegation[]
}

export type Dnssec = {
  readonly state: Security
  readonly reason: string | null
  readonly records: Readonly<Record<string, Security>>
  readonly chain: {
    readonly zone: string
    /** In the form of zone files: tag, algorithm, digest type, digest. */
    readonly ds: string[]
    /** Tag, algorithm and flags; the first one is trusted by its digest and signs the others. */
    readonly keys: string[]
  }[]
}

type Transport = {
  readonly servers: readonly string[]
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

type Target = { readonly server: string; readonly signal: AbortSignal }

/** More than a name of ten zones with a few aliases needs. */
const MAX_QUERIES = 60
/** Codes that another server may not return: SERVFAIL, NOTIMP, REFUSED. */
const RETRIED = new Set([2, 4, 5])

/** Within the 15 seconds of the endpoint. */
const LIMIT_MS = 8_000
const MAX_VERIFICATIONS = 100
const VALIDATED = ['A', 'AAAA', 'MX', 'NS', 'TXT', 'SOA', 'CAA'] as const
/** The state of a name is the worst of its records. */
const WORST_FIRST: readonly Security[] = ['bogus', 'unknown', 'insecure', 'secure']

/** Validates a name's records by their signatures, from the root's keys down; no resolver's word is taken. */
export async function readDnssec(domain: string, options: DnssecOptions): Promise<Dnssec> {
  const { servers, timeoutMs = 2_000, anchors = ROOT_ANCHORS } = options
  const validating = {
    ask: createSignedAsk({ servers, timeoutMs, signal: AbortSignal.timeout(LIMIT_MS) }),
    anchors,
    nowSeconds: Math.floor(Date.now() / 1000),
    budget: { verifications: MAX_VERIFICATIONS },
  }
  const name = parseName(domain)
  try {
    const walk = await walkToZone(name, validating)
    const chain = walk.chain.map(describeZone)
    if (!('zone' in walk)) return { state: walk.state, reason: walk.reason, records: {}, chain }
    const found = await Promise.all(
      VALIDATED.map(
        async (type): Promise<readonly [string, Validation]> => [
          type,
          await validateType({ name, type: TYPES[type], walk }, validating),
        ],
      ),
    )
    const worst = WORST_FIRST.find((state) => found.some(([, validation]) => validation.state === state))
    const first = found.find(([, validation]) => validation.state === worst)?.[1]
    return {
      state: worst ?? 'unknown',
      reason: first?.reason ?? null,
      records: Object.fromEntries(found.map(([type, { state }]) => [type, state])),
      chain,
    }
  } catch (error) {
    // RangeError: records shorter than their type allows.
    if (!(error instanceof DnsQueryError || error instanceof RangeError)) throw error
    const reason = error instanceof DnsQueryError ? error.message : 'malformed records'
    return { state: 'unknown', reason, records: {}, chain: [] }
  }
}

function describeZone({ zone, ds, keys, trusted }: ZoneLink): Dnssec['chain'][number] {
  const trustedFirst = keys.toSorted(
    (one, other) => Number(other.tag === trusted) - Number(one.tag === trusted),
  )
  return {
    zone,
    ds: ds.map((each) => `${each.tag} ${each.algorithm} ${each.digestType} ${each.digest.toString('hex')}`),
    keys: trustedFirst.map(({ tag, algorithm, flags }) => `${tag} ${algorithm} ${flags}`),
  }
}

/**
 * Queries the servers in turn, with signatures, each question once.
 * @throws {DnsQueryError} from the returned function, if no server answers or there were too many questions
 */
function createSignedAsk(transport: Transport): (name: Name, type: number) => Promise<DnsMessage> {
  const answers = new Map<string, Promise<DnsMessage>>()
  return (name, type) => {
    const key = `${renderName(name)} ${type}`
    const earlier = answers.get(key)
    if (earlier) return earlier
    if (answers.size >= MAX_QUERIES) return Promise.reject(new DnsQueryError('too many queries are needed'))
    const answer = askServers({ name, type }, transport)
    answers.set(key, answer)
    return answer
  }
}

async function askServers(
  { name, type }: Omit<DnsQuestion, 'id'>,
  { servers, timeoutMs, signal }: Transport,
): Promise<DnsMessage> {
  for (const server of servers) {
    const question = { id: randomInt(65_536), name, type }
    // An aborted signal emits no event.
    if (signal.aborted) break
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    try {
      const udp = await askByUdp(question, { server, signal: limit })
      const message = udp.isTruncated ? await askByTcp(question, { server, signal: limit }) : udp
      if (!RETRIED.has(message.rcode)) return message
    } catch (error) {
      if (!(error instanceof Error)) throw error
    }
  }
  throw new DnsQueryError('no resolver answered')
}

function askByUdp(question: DnsQuestion, { server, signal }: Target): Promise<DnsMessage> {
  const { host, port } = parseServer(server)
  const { promise, resolve, reject } = Promise.withResolvers<DnsMessage>()
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
  const stop = () => reject(new DnsQueryError('timeout'))
  signal.addEventListener('abort', stop, { once: true })
  socket.on('error', reject)
  socket.on('message', (bytes) => {
    const message = parseOrNull(bytes)
    // Anyone may send to the port: only the answer to the question ends the wait.
    if (message && isAnswerTo(message, question)) resolve(message)
  })
  // Connected: datagrams from other addresses are dropped by the kernel. A callback of `connect` would also be
  // called with its error; without one the error goes to the listener above.
  socket.on('connect', () => socket.send(encodeQuery(question)))
  socket.connect(port, host)
  return promise.finally(() => {
    signal.removeEventListener('abort', stop)
    socket.close()
  })
}

/** RFC 7766: two bytes of length before each message. */
function askByTcp(question: DnsQuestion, { server, signal }: Target): Promise<DnsMessage> {
  const { host, port } = parseServer(server)
  const { promise, resolve, reject } = Promise.withResolvers<DnsMessage>()
  const socket = connect({ host, port, signal })
  let received = Buffer.alloc(0)
  socket.on('error', reject)
  socket.on('close', () => reject(new DnsQueryError('the connection was closed')))
  socket.on('data', (bytes) => {
    received = Buffer.concat([received, bytes])
    if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return
    const message = parseOrNull(received.subarray(2, 2 + received.readUInt16BE(0)))
    if (message && isAnswerTo(message, question)) resolve(message)
    else reject(new DnsQueryError('malformed answer'))
  })
  const query = encodeQuery(question)
  socket.on('connect', () =>
    socket.write(Buffer.concat([Buffer.of(query.length >> 8, query.length & 255), query])),
  )
  return promise.finally(() => socket.destroy())
}

function parseOrNull(bytes: Buffer): DnsMessage | null {
  try {
    return parseMessage(bytes)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** `1.1.1.1`, `1.1.1.1:53`, `2001:db8::1` or `[2001:db8::1]:53`. */
function parseServer(server: string): { readonly host: string; readonly port: number } {
  if (isIPv6(server)) return { host: server, port: 53 }
  const [, v6, v4, port = '53'] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(server) ?? []
  return { host: v6 ?? v4 ?? server, port: Number(port) }
}
