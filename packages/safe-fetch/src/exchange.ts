import { type IncomingMessage, request as requestHttp } from 'node:http'
import { type ClientHttp2Session, connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2'
import type { Readable } from 'node:stream'
import type { Connection } from './dial.ts'
import type { Headers } from './fetched-answer.ts'

export type Sent = {
  readonly method: 'GET' | 'HEAD' | 'POST'
  readonly url: URL
  readonly headers: Headers
  readonly body: string | Uint8Array | undefined
  readonly signal: AbortSignal
  /** Called once the connection can serve another request; if absent, the connection serves this one only. */
  readonly onFree?: (() => void) | undefined
}

/** An answer whose body has yet to be read, or abandoned with `close`. */
export type Received = {
  readonly status: number
  readonly headers: Headers
  readonly httpVersion: '1.0' | '1.1' | '2'
  readonly body: Readable
  /** From the request to the first byte of the answer, ms. */
  readonly firstByteMs: number
  /** Ends the connection, unless it is about to be free. */
  readonly close: () => void
}

/** Maximum size of response headers; proxies and CDNs stay far below. */
const MAX_HEADERS_BYTES = 32_768
const MAX_HEADERS = 200

/** Sends one request over a connection that serves nothing else at the same time. */
export function exchange(connection: Connection, sent: Sent): Promise<Received> {
  return connection.alpn === 'h2' ? overHttp2(connection, sent) : overHttp1(connection, sent)
}

function overHttp1({ socket }: Connection, sent: Sent): Promise<Received> {
  const { promise, resolve, reject } = Promise.withResolvers<Received>()
  const { method, url, headers, body, signal, onFree } = sent
  const startedMs = performance.now()
  if (onFree) socket.once('free', onFree)
  const request = requestHttp({
    // Without an agent the only pool is ours, whose connections are checked and lead nowhere else.
    createConnection: () => socket,
    method,
    path: url.pathname + url.search,
    headers: { host: url.host, ...headers, connection: onFree ? 'keep-alive' : 'close' },
    maxHeaderSize: MAX_HEADERS_BYTES,
    signal,
  })
  request.maxHeadersCount = MAX_HEADERS
  request.on('error', reject)
  request.on('upgrade', (_, upgraded) => {
    upgraded.destroy()
    reject(new Error('the host switched protocols'))
  })
  request.on('response', (answer: IncomingMessage) => {
    resolve({
      status: answer.statusCode ?? 0,
      headers: flatten(answer.headers),
      httpVersion: answer.httpVersion === '1.0' ? '1.0' : '1.1',
      body: answer,
      firstByteMs: performance.now() - startedMs,
      close() {
        const isRead = answer.complete && answer.readableEnded && request.writableFinished
        if (isRead && onFree && request.shouldKeepAlive) return
        answer.destroy()
        socket.destroy()
      },
    })
  })
  request.end(body)
  return promise
}

function overHttp2({ socket }: Connection, sent: Sent): Promise<Received> {
  const { promise, resolve, reject } = Promise.withResolvers<Received>()
  const { method, url, headers, body, signal } = sent
  const startedMs = performance.now()
  const session: ClientHttp2Session = connectHttp2(url.origin, {
    createConnection: () => socket,
    maxHeaderListPairs: MAX_HEADERS,
    settings: { enablePush: false, maxHeaderListSize: MAX_HEADERS_BYTES },
  })
  session.on('error', reject)
  const length = body === undefined ? {} : { 'content-length': `${Buffer.byteLength(body)}` }
  const stream = session.request(
    {
      ...headers,
      ...length,
      ':method': method,
      ':path': url.pathname + url.search,
      ':scheme': url.protocol.slice(0, -1),
      ':authority': url.host,
    },
    { endStream: body === undefined, signal },
  )
  stream.on('error', reject)
  stream.on('close', () => {
    reject(new Error('the host closed the stream'))
    session.destroy()
  })
  stream.on('response', (answer) => {
    const { ':status': status, ...others } = answer
    resolve({
      status: status ?? 0,
      headers: flatten(others),
      httpVersion: '2',
      body: stream,
      firstByteMs: performance.now() - startedMs,
      close: () => session.destroy(),
    })
  })
  if (body !== undefined) stream.end(body)
  return promise
}

function flatten(headers: IncomingHttpHeaders): Headers {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !name.startsWith(':'))
      .map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  )
}
