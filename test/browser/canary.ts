import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A host of a private network that nothing may reach: it records every request. */
export async function startCanary() {
  const reached: string[] = []
  let connections = 0
  const server = createServer((request, response) => {
    reached.push(request.url ?? '')
    response.writeHead(200, { 'access-control-allow-origin': '*', 'content-type': 'text/html' })
    response.end('reached')
  })
  server.on('connection', () => {
    connections += 1
  })
  server.on('upgrade', (request, socket) => {
    reached.push(request.url ?? '')
    socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  const packets = createSocket('udp4').bind(0, '127.0.0.1')
  await Promise.all([once(server, 'listening'), once(packets, 'listening')])
  packets.on('message', () => reached.push('stun'))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port: `${port}`,
    stun: `127.0.0.1:${packets.address().port}`,
    /** Paths, `stun` for a packet. */
    reached,
    connections: () => connections,
    close() {
      server.closeAllConnections()
      server.close()
      packets.close()
    },
  }
}
