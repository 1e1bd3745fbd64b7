import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type Socket, Server as TcpServer } from 'node:net'
import { getRequestListener, RequestError } from '@hono/node-server'
import type { Logger } from '@tollbook/flow/logger'
import { PROBLEMS, type ProblemCode } from '../problem.ts'
import type { NodeConnection } from '../request/node-connection.ts'
import { cutStalled } from './cut-stalled.ts'
import type { Answering } from './route-hosts.ts'

export type ListenOptions = {
  readonly app: Answering
  readonly host: string
  /** 0 lets the system choose. */
  readonly port: number
  readonly logger: Logger
  /** Timeout for a client to send its headers; default 10 seconds. */
  readonly headersMs?: number
  /** Max wait for running calls when the server closes; default 30 seconds, then they are cut. */
  readonly drainMs?: number
}

export type Listening = {
  /** Address without a trailing slash, such as `http://127.0.0.1:4022`. */
  readonly url: string
  /** Accepts no further calls, lets the running ones finish, and closes. Idempotent. */
  close(): Promise<void>
}

/** A client that has not sent its headers after this long is cut. */
const HEADERS_TIMEOUT_MS = 10_000
/** A client that has not sent its whole request after this long is cut; the max body then needs 70 kB/s. */
const REQUEST_TIMEOUT_MS = 60_000
/** Interval of the check for late clients. */
const CHECKING_MS = 5_000
const KEEP_ALIVE_MS = 30_000
/**
 * A client that reads nothing of its answer for this long is cut. Chosen: a system frees buffers in steps of
 * some 1.5 MB, so that a client that reads 5 kB a second shows progress.
 */
const STALL_MS = 300_000
const DRAIN_MS = 30_000
/** Fits a payment of 2 to 4 kB and a payment-identifier many times. */
const MAX_HEADERS_BYTES = 16_384
const MAX_HEADERS = 200
const PROBLEM_HEADERS = { 'content-type': 'application/problem+json; charset=utf-8' }

/** Serves an application over HTTP. @throws when the address cannot be bound. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { app, host, port, logger, headersMs = HEADERS_TIMEOUT_MS, drainMs = DRAIN_MS } = options
  const answer = (request: Request, env: unknown) => app.fetch(request, env as NodeConnection)
  const errorHandler = (error: unknown) => refuseRequest(error, logger)
  const answerRequest = getRequestListener(answer, { hostname: host, errorHandler })
  const server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEADERS_BYTES,
      connectionsCheckingInterval: Math.min(headersMs, CHECKING_MS),
    },
    (incoming, outgoing) => {
      const issue = findFramingIssue(incoming)
      if (issue !== null) refuseFraming(outgoing, issue)
      else if (!app.answer?.(incoming, outgoing)) void answerRequest(incoming, outgoing)
    },
  )
  server.maxHeadersCount = MAX_HEADERS
  const sockets = trackSockets(server)
  const { running, lastOf } = trackCalls(server)
  cutStalled(server, STALL_MS, (socket) => lastOf(socket)?.closed === false)
  const refused = new WeakSet<Socket>()
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
    else if (!refused.has(socket)) {
      // Each further packet raises the error again.
      refused.add(socket)
      inTurn(lastOf(socket), () => refuseClient(error, socket))
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  // A connection that cannot be accepted, for want of memory or of files, is no reason to refuse the others.
  server.on('error', (error) => logger.error({ err: error }, 'a connection cannot be accepted'))
  const address = server.address()
  const boundPort = typeof address === 'object' && address ? address.port : port
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`
  logger.debug({ url }, 'listening')
  let closing: Promise<void> | undefined
  return {
    url,
    close() {
      closing ??= drain({ server, sockets, running, drainMs })
      return closing
    },
  }
}

function trackSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}

/** The answers of running calls, and the last answer of a connection. */
function trackCalls(server: Server) {
  const running = new Set<ServerResponse>()
  const lasts = new WeakMap<Socket, ServerResponse>()
  server.on('request', ({ socket }: IncomingMessage, outgoing: ServerResponse) => {
    running.add(outgoing)
    lasts.set(socket, outgoing)
    outgoing.once('close', () => running.delete(outgoing))
  })
  return { running, lastOf: (socket: Socket) => lasts.get(socket) }
}

/**
 * Rejects after the answers of complete requests, each of which may be paid, and in place of the answer of an
 * incomplete one.
 */
function inTurn(last: ServerResponse | undefined, refuse: () => void): void {
  if (!last || last.closed) refuse()
  else if (last.req.complete) last.once('close', refuse)
  else if (last.socket) refuse()
  else last.once('socket', refuse)
}

async function drain(service: {
  readonly server: Server
  readonly sockets: ReadonlySet<Socket>
  readonly running: ReadonlySet<ServerResponse>
  readonly drainMs: number
}): Promise<void> {
  const { server, sockets, running, drainMs } = service
  // The `close` of `http` would cut complete answers that their readers have not received yet.
  const closed = new Promise<void>((resolve) => TcpServer.prototype.close.call(server, () => resolve()))
  // Node does not count a connection without any request as idle, so a single one could block the close.
  function closeIdle(): void {
    const busy = new Set([...running].map((outgoing) => outgoing.req.socket))
    for (const socket of sockets) if (!busy.has(socket)) socket.destroy()
  }
  // A kept-alive connection would otherwise stay open after its last answer.
  for (const outgoing of running) {
    if (!outgoing.headersSent) outgoing.setHeader('connection', 'close')
    outgoing.once('close', () => setImmediate(closeIdle))
  }
  server.prependListener('request', (_, outgoing) => outgoing.setHeader('connection', 'close'))
  closeIdle()
  const cut = setTimeout(() => server.closeAllConnections(), drainMs)
  await closed
  clearTimeout(cut)
  // Stops the check for late clients.
  server.close()
}

/**
 * Whether `Host` occurs more than once. Node uses the first, and a proxy may route by the last, so neither is
 * trusted (RFC 9112 section 3.2).
 */
function hasSeveralHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts > 1
}

/** Why a proxy may have read a request differently from Node; null if it cannot have. */
function findFramingIssue({ rawHeaders, headers, httpVersion }: IncomingMessage): string | null {
  if (hasSeveralHosts(rawHeaders)) return 'A request must have exactly one Host header.'
  // RFC 9112 section 6.1: the framing of such a message is invalid.
  const isInvalid = httpVersion === '1.0' && headers['transfer-encoding'] !== undefined
  return isInvalid ? 'HTTP/1.0 does not allow Transfer-Encoding.' : null
}

/** Closes the connection: a proxy may have framed the bytes after this request differently. */
function refuseFraming(outgoing: ServerResponse, detail: string): void {
  const document = toBareDocument('invalid_request', detail)
  const headers = { ...PROBLEM_HEADERS, connection: 'close' }
  outgoing.writeHead(PROBLEMS.invalid_request.status, headers).end(JSON.stringify(document))
}

/** Answers what cannot become a request, such as a path with a backslash; anything else is our own failure. */
function refuseRequest(error: unknown, logger: Logger): Response {
  const isRequestError = error instanceof RequestError
  if (!isRequestError) logger.error({ err: error }, 'failed')
  const [code, detail] = isRequestError
    ? (['invalid_request', 'The request target or its host is not valid.'] as const)
    : (['internal', 'The service failed unexpectedly.'] as const)
  return Response.json(toBareDocument(code, detail), {
    status: PROBLEMS[code].status,
    headers: PROBLEM_HEADERS,
  })
}

/** Answers what Node rejects before any request exists, with the same problem format. */
function refuseClient(error: NodeJS.ErrnoException, socket: Socket): void {
  // The answer before it may have closed the connection.
  if (!socket.writable) return
  const [code, detail] = explain(error.code)
  const { status, title } = PROBLEMS[code]
  const body = JSON.stringify(toBareDocument(code, detail))
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    `content-type: ${PROBLEM_HEADERS['content-type']}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/**
 * Without a request the service is unknown, and so is the URL that explains the code (RFC 9457 section
 * 4.2.1).
 */
function toBareDocument(code: ProblemCode, detail: string): Record<string, unknown> {
  const { status, title } = PROBLEMS[code]
  return { type: 'about:blank', title, status, detail, code }
}

function explain(errorCode: string | undefined): [ProblemCode, string] {
  if (errorCode === 'HPE_HEADER_OVERFLOW') {
    return ['header_too_large', `The headers may have at most ${MAX_HEADERS_BYTES} bytes.`]
  }
  if (errorCode === 'ERR_HTTP_REQUEST_TIMEOUT')
    return ['request_timeout', 'The request took too long to arrive.']
  return ['invalid_request', 'The request is not valid HTTP.']
}
