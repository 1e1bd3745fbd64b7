import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { dial, readAll, requestOf } from '@tollbook/testing/servers/raw-connection'
import { cutStalled } from './cut-stalled.ts'

const STALL_MS = 200
/** More than the system buffers for a client that does not read. */
const LARGE_BYTES = 20_000_000

const busy = new Set<Socket>()
const server = createServer({ keepAliveTimeout: STALL_MS }, async ({ socket, url }, outgoing) => {
  busy.add(socket)
  outgoing.once('close', () => busy.delete(socket))
  if (url === '/late') await wait(3 * STALL_MS)
  outgoing.end(url === '/late' ? 'late' : Buffer.alloc(LARGE_BYTES, 'x'))
}).listen(0, '127.0.0.1')
cutStalled(server, STALL_MS, (socket) => busy.has(socket))
await once(server, 'listening')
after(() => server.close())
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

test('a client that does not read its answer is cut', async () => {
  const socket = await dial(url)
  const requested = once(server, 'request')
  socket.write(requestOf('GET /large HTTP/1.1'))
  const [{ socket: accepted }] = (await requested) as [IncomingMessage]
  await once(accepted, 'close')
  assert.ok((await readAll(socket)).length < LARGE_BYTES)
})

test('a slow call is not cut', async () => {
  const socket = await dial(url)
  socket.write(requestOf('GET /late HTTP/1.1'))
  assert.match(await readAll(socket), /late$/)
})

test('an idle connection is ended', async () => {
  const socket = await dial(url)
  socket.write('GET /late HTTP/1.1\r\nhost: test\r\n\r\n')
  assert.match(await readAll(socket), /late$/)
})
