import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type LoadOptions = {
  /** Origin of the server, such as `http://127.0.0.1:4022`. */
  readonly url: string
  readonly requests: number
  /** Concurrent requests, each on its own connection. */
  readonly concurrency: number
  /**
   * The bytes of the request with this index, as made by `toRequest`; preferably built before the clock
   * starts.
   */
  readonly request: (index: number) => Buffer
  /** How many answers may be 402 before no more requests are sent; default all. */
  readonly mayRefuse?: number
  /** After this, connections are closed, which is an error; default never. */
  readonly maxSeconds?: number
}

export type LoadResult = {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Number of answers per status. */
  readonly statuses: Readonly<Record<number, number>>
}

/** The bytes of a GET request, or of a POST request if there is a JSON body. */
export function toRequest(
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): Buffer {
  const about =
    body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(body)}` }
  const lines = Object.entries({ ...headers, ...about }).map(([name, value]) => `${name}: ${value}\r\n`)
  const method = body === undefined ? 'GET' : 'POST'
  return Buffer.from(`${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join('')}\r\n${body ?? ''}`)
}

/**
 * Sends a bounded number of requests over keep-alive connections and measures rate and latency. It reads and
 * writes sockets directly, because a full HTTP client costs more than the servers under load.
 */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const { requests, concurrency, mayRefuse = requests } = options
  const latencies = new Float64Array(requests)
  const statuses: Record<number, number> = {}
  const sockets = await Promise.all(Array.from({ length: concurrency }, () => open(options.url)))
  let next = 0
  const startedMs = performance.now()
  const work = async (socket: Socket) => {
    for (let index = next++; index < requests; index = next++) {
      const sentMs = performance.now()
      const status = await ask(socket, options.request(index))
      latencies[index] = performance.now() - sentMs
      statuses[status] = (statuses[status] ?? 0) + 1
      if (status === 402 && (statuses[402] ?? 0) > mayRefuse) return
    }
  }
  const close = () => {
    for (const socket of sockets) socket.destroy()
  }
  const deadline = options.maxSeconds ? setTimeout(close, options.maxSeconds * 1000) : undefined
  try {
    await Promise.all(sockets.map(work))
  } finally {
    clearTimeout(deadline)
    close()
  }
  const seconds = (performance.now() - startedMs) / 1000
  latencies.sort()
  return {
    perSecond: Number((requests / seconds).toPrecision(4)),
    p50Ms: Number((latencies[Math.floor(requests * 0.5)] ?? 0).toFixed(2)),
    p99Ms: Number((latencies[Math.floor(requests * 0.99)] ?? 0).toFixed(2)),
    statuses,
  }
}

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await once(socket, 'connect')
  return socket
}

/** Sends one request and returns the status of its answer when the answer is complete. */
function ask(socket: Socket, request: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0)
    const end = () => {
      socket.off('data', take)
      socket.off('error', reject)
      socket.off('close', cut)
    }
    const take = (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      if (!isWhole(received)) return
      end()
      resolve(Number(received.toString('latin1', 9, 12)))
    }
    const cut = () => reject(new Error('a connection was closed before the answer'))
    socket.on('data', take)
    socket.once('error', reject)
    socket.once('close', cut)
    socket.write(request)
  })
}

/** Whether these bytes are one complete answer; no other answer can follow before the next request. */
function isWhole(bytes: Buffer): boolean {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return false
  const head = bytes.toString('latin1', 0, headEnd)
  // It has no body, whatever its header says about one (RFC 9110 section 15.4.5).
  if (head.startsWith('304', 9)) return true
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length !== undefined) return bytes.length >= headEnd + 4 + Number(length)
  return bytes.subarray(-5).equals(LAST_CHUNK)
}

/** The end of a chunked body (RFC 9112 section 7.1). */
const LAST_CHUNK = Buffer.from('0\r\n\r\n')
