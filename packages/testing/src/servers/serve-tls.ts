import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createSecureServer } from 'node:http2'
import { createServer as createHttps } from 'node:https'
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Certificate } from './certificates.ts'

type Options = {
  readonly certificate: Pick<Certificate, 'cert' | 'key'>
  /** Default HTTP/2 and HTTP/1.1. */
  readonly protocols?: 'both' | 'h2' | 'http/1.1'
  /** Default an empty answer. */
  readonly answer?: RequestListener
  /** Before the answer to the client's first message, ms. */
  readonly slowTlsMs?: number
}

/** Serves TLS on loopback and returns the port. */
export async function serveTls(context: TestContext, options: Options): Promise<number> {
  const { certificate, protocols = 'both', slowTlsMs = 0 } = options
  const { cert, key } = certificate
  const answer = options.answer ?? ((_request, response) => void response.end())
  // The compatibility API of HTTP/2 calls the same listener, with requests and answers of its own classes.
  const secure: Server =
    protocols === 'http/1.1'
      ? createHttps({ cert, key }, answer)
      : createSecureServer({ cert, key, allowHTTP1: protocols === 'both' }).on('request', answer as never)
  const sockets = new Set<Socket>()
  const front = createTcp(async (socket) => {
    sockets.add(socket.on('error', () => {}))
    // From the client's first byte on, so that a busy client has begun the handshake.
    await once(socket, 'readable')
    const hello = socket.read()
    await wait(slowTlsMs)
    socket.unshift(hello)
    secure.emit('connection', socket)
  }).listen(0, '127.0.0.1')
  await once(front, 'listening')
  context.after(() => {
    for (const socket of sockets) socket.destroy()
    front.close()
  })
  return (front.address() as AddressInfo).port
}
