import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Server } from 'node:net'
import { type Served, serveMeasured } from './measured.ts'

await serveMeasured(servePortkey)

/** The gateway as its package starts it, in this process, without its log page, which costs it time. */
async function servePortkey(): Promise<Served> {
  const opened = catchServer()
  process.argv.splice(2, Number.POSITIVE_INFINITY, '--port=0', '--headless')
  await import(import.meta.resolve('@portkey-ai/gateway/build/start-server.js'))
  const server = await opened
  if (!server.listening) await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  // It ends with its process.
  return { url: `http://127.0.0.1:${port}`, close: async () => {} }
}

/**
 * Returns the server that the gateway opens and binds it to loopback: the gateway sets no listen address, and
 * would forward anyone's request to any host that the request names.
 */
function catchServer(): Promise<Server> {
  const { listen } = Server.prototype
  return new Promise((resolve) => {
    Server.prototype.listen = function (this: Server, port: unknown, host: unknown, onListening: unknown) {
      resolve(this)
      Server.prototype.listen = listen
      return Reflect.apply(listen, this, [port, host ?? '127.0.0.1', onListening])
    } as typeof listen
  })
}
