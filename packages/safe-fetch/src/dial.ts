import type { LookupAddress } from 'node:dns'
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { BlockedTarget, type Phase, Unreachable } from '@tollbook/flow/failure'
import { readTlsFacts, type TlsFacts } from './certificate.ts'
import type { Alpn, FetchStep } from './fetched-answer.ts'
import { type Resolve, resolveChecked } from './resolve.ts'
import { hostOf, mayReach, type TargetRules } from './target.ts'

export type DialOptions = {
  readonly rules: TargetRules
  readonly resolve: Resolve
  readonly alpn: readonly Alpn[]
  /** `report`: a certificate that is not trusted does not end the connection; it is reported with the answer. */
  readonly certificates: 'require' | 'report'
  /** Certificate authorities that replace the built-in ones, PEM. */
  readonly ca?: readonly string[]
  readonly dnsMs: number
  /** For TCP, and again for TLS. */
  readonly connectMs: number
  readonly signal: AbortSignal
  readonly onStep: (step: FetchStep) => void
}

/** An open connection whose address was checked before and after it was made. */
export type Connection = {
  readonly socket: Socket | TLSSocket
  /** The IP address of the peer. */
  readonly address: string
  /** The protocol negotiated over TLS; `http/1.1` without TLS. */
  readonly alpn: Alpn
  /** Durations, ms; 0 for a literal address. */
  readonly dnsMs: number
  readonly connectMs: number
  /** null without TLS. */
  readonly tlsMs: number | null
  /** null without TLS, and if certificates are not to be reported. */
  readonly tls: TlsFacts | null
}

/** Opens a connection to the host of a checked URL. @throws BlockedTarget; Unreachable with its phase. */
export async function dial(url: URL, options: DialOptions): Promise<Connection> {
  const host = hostOf(url)
  const startedMs = performance.now()
  const addresses = await inTime<Addresses>({ ...options, phase: 'dns', ms: options.dnsMs }, (signal) =>
    isIP(host) === 0 ? resolveChecked(host, { ...options, signal }) : Promise.resolve<Addresses>([]),
  )
  const resolvedMs = performance.now()
  options.onStep({ kind: 'resolved', dnsMs: resolvedMs - startedMs })
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  const tcp = connectTcp({
    host,
    port,
    lookup: handOver(addresses),
    // RFC 8305: if one family does not answer within 250 ms, the next address is tried concurrently.
    autoSelectFamily: addresses.length > 1,
  })
  await opened(tcp, 'connect', options)
  const connectedMs = performance.now()
  const address = tcp.remoteAddress ?? ''
  // Defence in depth, should a runtime ever connect without calling the lookup.
  if (!mayReach(address, options.rules)) {
    tcp.destroy()
    throw new BlockedTarget('the address is not public')
  }
  const reached = { address, dnsMs: resolvedMs - startedMs, connectMs: connectedMs - resolvedMs }
  options.onStep({ kind: 'connected', address, connectMs: reached.connectMs })
  if (url.protocol === 'http:') return { ...reached, socket: tcp, alpn: 'http/1.1', tlsMs: null, tls: null }
  const tls = connectTls({
    socket: tcp,
    host,
    // RFC 6066 section 3: no server name for an IP address.
    ...(isIP(host) === 0 && { servername: host.replace(/\.$/, '') }),
    ALPNProtocols: [...options.alpn],
    rejectUnauthorized: options.certificates === 'require',
    ...(options.ca && { ca: [...options.ca] }),
  })
  await opened(tls, 'secureConnect', options)
  const tlsMs = performance.now() - connectedMs
  const facts = options.certificates === 'report' ? readTlsFacts(tls, host) : null
  options.onStep({ kind: 'secured', tlsMs, tls: facts })
  const alpn = tls.alpnProtocol === 'h2' ? 'h2' : 'http/1.1'
  return { ...reached, socket: tls, alpn, tlsMs, tls: facts }
}

type Addresses = readonly LookupAddress[]

/** A lookup that returns the addresses that were checked, without a query. */
function handOver(
  addresses: readonly { readonly address: string; readonly family: number }[],
): LookupFunction {
  return (_host, { all }, callback) => {
    const [first] = addresses
    if (!first) return callback(new BlockedTarget('the name was not resolved'), '')
    return all ? callback(null, [...addresses]) : callback(null, first.address, first.family)
  }
}

function opened(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  { connectMs, signal }: DialOptions,
): Promise<void> {
  const phase = event === 'connect' ? 'connect' : 'tls'
  const work = (signal: AbortSignal) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const give = () => socket.destroy(signal.reason as Error)
    signal.addEventListener('abort', give, { once: true })
    const closed = () => reject(new Error('the connection was closed'))
    socket.once(event, resolve).once('error', reject).once('close', closed)
    return promise.finally(() => {
      signal.removeEventListener('abort', give)
      socket.off('error', reject).off('close', closed)
      // A late error must not end the process; the next user of the socket adds its own listener.
      socket.on('error', () => {})
    })
  }
  return inTime({ phase, ms: connectMs, signal }, work).catch((error: unknown) => {
    socket.destroy()
    throw error
  })
}

type Timed = { readonly phase: Phase; readonly ms: number; readonly signal: AbortSignal }

/** Runs work that ends with its own timeout or with the signal of the whole request. */
async function inTime<Result>(
  { phase, ms, signal }: Timed,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const late = AbortSignal.timeout(ms)
  const both = AbortSignal.any([signal, late])
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const stop = () => reject(both.reason as Error)
  both.addEventListener('abort', stop, { once: true })
  try {
    signal.throwIfAborted()
    return await Promise.race([work(both), aborted])
  } catch (error) {
    if (signal.aborted || error instanceof BlockedTarget || error instanceof Unreachable) throw error
    if (late.aborted)
      throw new Unreachable(`no ${NAMES[phase]} within ${ms} ms`, { cause: error, phase, isLate: true })
    throw new Unreachable(`the ${NAMES[phase]} failed`, { cause: error, phase })
  } finally {
    both.removeEventListener('abort', stop)
  }
}

const NAMES: Readonly<Record<Phase, string>> = {
  dns: 'name resolution',
  connect: 'connection',
  tls: 'TLS handshake',
  answer: 'answer',
  body: 'body',
}
