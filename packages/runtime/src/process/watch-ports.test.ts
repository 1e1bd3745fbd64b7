import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { after, test } from 'node:test'
import { findFreePort } from '@tollbook/http/server/find-free-port'
import { watchPorts } from './watch-ports.ts'

const host = '127.0.0.1'
const open: Server[] = []
after(() => {
  for (const server of open) server.close()
})

async function listen(server: Server): Promise<number> {
  open.push(server.listen(0, host))
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** The first port that is reported as silent. */
async function findSilent(ports: readonly number[], maxAnswerMs: number): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const places = ports.map((port) => ({ host, port }))
  const watch = watchPorts({ places, onSilent: resolve, everyMs: 1, maxAnswerMs })
  // A ticker does not keep the process of the test alive.
  const alive = setInterval(() => {}, 1_000)
  const port = await promise
  clearInterval(alive)
  await watch.stop()
  return port
}

test('a port that accepts connections and never answers is silent, and so is one that is closed', async () => {
  const deaf = await listen(createServer((socket) => socket.on('error', () => {})))
  assert.equal(await findSilent([deaf], 20), deaf)
  const closed = await findFreePort(host)
  assert.equal(await findSilent([closed], 60_000), closed)
})

test('a port that answers, even with an error or after two misses, is not silent', async () => {
  let requested = 0
  const server = createHttpServer((_, response) => {
    requested += 1
    // Two of three connections break.
    if (requested % 3 !== 0) response.destroy()
    else response.writeHead(500).end()
  })
  const [faltering, closed] = [await listen(server), await findFreePort(host)]
  const { promise, resolve } = Promise.withResolvers<void>()
  server.on('request', () => requested === 30 && resolve())
  const silent: number[] = []
  const places = [
    { host, port: faltering },
    { host, port: closed },
  ]
  const watch = watchPorts({ places, onSilent: (port) => silent.push(port), everyMs: 1, maxAnswerMs: 60_000 })
  const alive = setInterval(() => {}, 1_000)
  await promise
  clearInterval(alive)
  await watch.stop()
  assert.deepEqual([...new Set(silent)], [closed])
})
