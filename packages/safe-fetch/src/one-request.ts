import { ACCEPTED_CODINGS, readDecoded } from '@tollbook/flow/decoded-body'
import { InvalidAnswer, Unreachable } from '@tollbook/flow/failure'
import type { Semaphore } from '@tollbook/flow/semaphore'
import { type Connection, dial } from './dial.ts'
import { exchange, type Received } from './exchange.ts'
import type { Alpn, FetchedAnswer, FetchRequest, Timings } from './fetched-answer.ts'
import type { KeptConnections } from './kept-connections.ts'
import type { Resolve } from './resolve.ts'
import { takeTurn } from './take-turn.ts'
import type { TargetRules } from './target.ts'

/** Timeouts of the parts of one request, ms. */
export type PhaseLimits = {
  readonly dnsMs: number
  /** For TCP, and again for TLS. */
  readonly connectMs: number
  /** From the request to the headers of the answer. */
  readonly headersMs: number
  /** Between two pieces of the body. */
  readonly idleMs: number
}

/** How requests leave this machine. */
export type Way = PhaseLimits & {
  readonly rules: TargetRules
  readonly resolve: Resolve
  readonly userAgent: string
  readonly ca?: readonly string[]
  /** Running requests, by host. */
  readonly hosts: Semaphore
  /** Connections to reuse; if absent, each request has its own. */
  readonly kept?: KeptConnections
}

/** The result of one request. */
export type Asked =
  | {
      readonly kind: 'redirect'
      readonly status: number
      readonly location: string
      readonly timings: Timings
    }
  | { readonly kind: 'answer'; readonly answer: Omit<FetchedAnswer, 'redirects' | 'totalMs'> }

export type OutboundRequest = FetchRequest & {
  readonly signal: AbortSignal
  /** Value of `Accept-Encoding`; default all that can be decoded. */
  readonly codings?: string
}

/** An answer whose headers have arrived. */
export type Begun = {
  readonly connection: Connection
  readonly received: Received
  /** Ends the connection and releases the permit for its host; safe to call twice. */
  readonly end: () => void
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** Sent by a host that supports none of the offered protocols (RFC 7301 section 3.2). */
const NO_PROTOCOL = /NO_APPLICATION_PROTOCOL/
/** Errors of the HTTP/1.1 and HTTP/2 parsers for an invalid answer. */
const HEADER_ISSUE = /^(HPE_|ERR_HTTP2_(HEADER|INVALID))/

/**
 * Sends one request to a checked URL over a connection of its own, without following redirects. With
 * `maxRedirects` 0 a redirect is an answer like any other.
 */
export async function ask(url: URL, request: OutboundRequest, way: Way): Promise<Asked> {
  const { connection, received, end } = await begin(url, request, way)
  return read(received, connection, { url, request, way }).finally(end)
}

/** Sends one request as `ask` does, and leaves the body of its answer to be read. */
export async function begin(url: URL, request: OutboundRequest, way: Way): Promise<Begun> {
  const endTurn = await takeTurn(way.hosts, url.hostname, request.signal)
  try {
    const begun = await beginWithKept({ url, request, way })
    let isOver = false
    const end = () => {
      if (isOver) return
      isOver = true
      begun.received.close()
      endTurn()
    }
    return { ...begun, end }
  } catch (error) {
    endTurn()
    throw error
  }
}

/** Over an idle connection if there is one. The host may just have closed it; then over a new one. */
async function beginWithKept(asking: Asking): Promise<Omit<Begun, 'end'>> {
  const { url, request, way } = asking
  const retained = way.kept?.take(url.origin)
  if (retained) {
    try {
      return { connection: retained, received: await receive(retained, asking) }
    } catch (error) {
      const isClosed = error instanceof Unreachable && !error.isLate
      if (!isClosed || request.signal.aborted) throw error
    }
  }
  const connection = await open(url, request, way)
  return { connection, received: await receive(connection, asking) }
}

type Asking = { readonly url: URL; readonly request: OutboundRequest; readonly way: Way }

async function open(url: URL, request: OutboundRequest, way: Way): Promise<Connection> {
  const { certificates = 'require', alpn = ['http/1.1'], signal, onStep = () => {} } = request
  const dialWith = (offered: readonly Alpn[]) =>
    dial(url, { ...way, certificates, alpn: offered, signal, onStep })
  try {
    return await dialWith(alpn)
  } catch (error) {
    const cause = error instanceof Unreachable ? error.cause : null
    const speaksNone = cause instanceof Error && 'code' in cause && NO_PROTOCOL.test(String(cause.code))
    if (!speaksNone || request.alpn || signal.aborted) throw error
    return dialWith(['h2'])
  }
}

async function receive(connection: Connection, { url, request, way }: Asking): Promise<Received> {
  const giveUp = () => {
    const message = `no answer within ${way.headersMs} ms`
    connection.socket.destroy(new Unreachable(message, { phase: 'answer', isLate: true }))
  }
  const timer = setTimeout(giveUp, way.headersMs)
  const headers = {
    ...request.headers,
    accept: request.accept ?? '*/*',
    'accept-encoding': request.codings ?? ACCEPTED_CODINGS,
    'user-agent': way.userAgent,
  }
  const { method = 'GET', body, signal } = request
  const { kept: retained } = way
  const onFree = retained && (() => retained.give(url.origin, connection))
  try {
    return await exchange(connection, { method, url, headers, body, signal, onFree })
  } catch (error) {
    connection.socket.destroy()
    if (error instanceof Unreachable || signal.aborted) throw error
    if (error instanceof Error && 'code' in error && HEADER_ISSUE.test(String(error.code))) {
      throw new InvalidAnswer('the answer is not valid HTTP, or its headers are too large', { cause: error })
    }
    throw new Unreachable('the host did not answer', { cause: error, phase: 'answer' })
  } finally {
    clearTimeout(timer)
  }
}

async function read(received: Received, connection: Connection, asking: Asking): Promise<Asked> {
  const { url, request, way } = asking
  const { dnsMs, connectMs, tlsMs, address, tls } = connection
  const { status, headers, httpVersion, firstByteMs } = received
  const timings = { dnsMs, connectMs, tlsMs, firstByteMs }
  const { location } = headers
  if (location !== undefined && REDIRECTS.has(status) && request.maxRedirects !== 0) {
    return { kind: 'redirect', status, location, timings }
  }
  const isBodiless =
    request.isBodyRead === false || request.method === 'HEAD' || status === 204 || status === 304
  const limits = { maxBytes: request.maxBytes, idleMs: way.idleMs, signal: request.signal }
  const body = isBodiless
    ? new Uint8Array()
    : await readDecoded(received.body, headers['content-encoding'] ?? '', limits)
  return {
    kind: 'answer',
    answer: { url: url.href, status, headers, body, httpVersion, address, timings, tls },
  }
}
