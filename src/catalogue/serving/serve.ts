import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type Socket, Server as TcpServer } from 'node:net'
import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server'
import type { Logger } from 'pino'
import { PROBLEMS, type ProblemCode } from '../problem.ts'
import type { Answering } from '../routes/route-hosts.ts'
import { cutStalled } from './cut-stalled.ts'

export type ListenOptions = {
  readonly app: Answering
  readonly host: string
  /** 0 lets the system choose. */
  readonly port: number
  readonly logger: Logger
  /** How long a client may take to send its headers, and the whole request; default 10 and 60 seconds. */
  readonly headersMs?: number
  readonly requestMs?: number
  /** Longest wait for running calls when the server closes; default 30 seconds, then they are cut. */
  readonly drainMs?: number
}

export type Listening = {
  /** Address without a trailing slash, such as `http://127.0.0.1:4022`. */
  readonly url: string
  /** Takes no further call, lets the running ones end, and closes. Safe to call twice. */
  close(): Promise<void>
}

/** A client that sends its headers a byte at a time is cut after this long. */
const HEADERS_TIMEOUT_MS = 10_000
/** And one that sends its body so, after this long; the largest body then needs 70 kB/s. */
const REQUEST_TIMEOUT_MS = 60_000
/** How often late clients are looked for. */
const CHECKING_MS = 5_000
const KEEP_ALIVE_MS = 30_000
/**
 * A client that takes nothing of its answer is cut after this long. Chosen: a system makes room in steps of some 1.5 MB,
 * so that who takes 5 kB a second is seen to take something.
 */
const STALL_MS = 300_000
const DRAIN_MS = 30_000
/** A payment of 2 to 4 kB and a payment-identifier fit many times. */
const MAX_HEADERS_BYTES = 16_384
const MAX_HEADERS = 200
const PROBLEM_HEADERS = { 'content-type': 'application/problem+json; charset=utf-8' }

/**
 * Serves an application over HTTP.
 * @throws when the address cannot be bound.
 */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { app, host, port, logger, drainMs = DRAIN_MS } = options
  const { headersMs = HEADERS_TIMEOUT_MS, requestMs = REQUEST_TIMEOUT_MS } = options
  const answer = (request: Request, env: unknown) => app.fetch(request, env as HttpBindings)
  const errorHandler = (error: unknown) => refuseRequest(error, logger)
  const answerRequest = getRequestListener(answer, { hostname: host, errorHandler })
  const server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEADERS_BYTES,
      connectionsCheckingInterval: Math.min(headersMs, CHECKING_MS),
    },
    (incoming, outgoing) => {
      const fault = findFramingFault(incoming)
      if (fault !== null) refuseFraming(outgoing, fault)
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
      // Each further packet is an error again.
      refused.add(socket)
      inTurn(lastOf(socket), () => refuseClient(error, socket))
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
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

/** Answers of calls that have begun and not ended, and the one that leaves a connection last. */
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

/** Refuses behind the answers of whole requests, each of which may be paid, and in the place of one that broke off. */
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
  // That of `http` would cut answers that are given whole and that their readers have not taken yet.
  const closed = new Promise<void>((resolve) => TcpServer.prototype.close.call(server, () => resolve()))
  // To Node a connection that never asked for anything is not idle; anyone could hold the close up with one.
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
  // Ends its look for late clients.
  server.close()
}

/**
 * Whether `Host` stands there more than once. Node keeps the first, and a proxy in front may route by the last, so
 * neither is believed (RFC 9112 section 3.2).
 */
function hasSeveralHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts > 1
}

/** Why a proxy in front may have read a request otherwise than Node; null where it cannot have. */
function findFramingFault({ rawHeaders, headers, httpVersion }: IncomingMessage): string | null {
  if (hasSeveralHosts(rawHeaders)) return 'A request has one Host header.'
  // RFC 9112 section 6.1: the framing of such a message is faulty.
  const isFaulty = httpVersion === '1.0' && headers['transfer-encoding'] !== undefined
  return isFaulty ? 'HTTP/1.0 has no Transfer-Encoding.' : null
}

/** The connection ends with it: who sent this may have cut the bytes behind it elsewhere than we would. */
function refuseFraming(outgoing: ServerResponse, detail: string): void {
  const document = toBareDocument('invalid_request', detail)
  const headers = { ...PROBLEM_HEADERS, connection: 'close' }
  outgoing.writeHead(PROBLEMS.invalid_request.status, headers).end(JSON.stringify(document))
}

/** What cannot be made a request, such as a path with a backslash; anything else is our own failure. */
function refuseRequest(error: unknown, logger: Logger): Response {
  const isRequestError = error instanceof RequestError
  if (!isRequestError) logger.error({ err: error }, 'failed')
  const [code, detail] = isRequestError
    ? (['invalid_request', 'The request target or its host is not valid.'] as const)
    : (['internal', 'Something failed on our side.'] as const)
  return Response.json(toBareDocument(code, detail), {
    status: PROBLEMS[code].status,
    headers: PROBLEM_HEADERS,
  })
}

/** What Node refuses before any request exists, said in the same words as all else. */
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

/** Without a request no service is known, and so no address that explains the code (RFC 9457 section 4.2.1). */
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
