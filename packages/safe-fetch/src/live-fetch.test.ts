import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { AnswerTooLarge, BlockedTarget, InvalidAnswer, Unreachable } from '@tollbook/flow/failure'
import { gather } from '@tollbook/testing/gather'
import { createLiveFetch, type LiveRequest } from './live-fetch.ts'

let answer: (response: ServerResponse) => void = (response) => void response.end()
const server = createServer((_, response) => answer(response))
let url = ''
before(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
after(() => {
  server.closeAllConnections()
  server.close()
})

/** One request at a time, and no queue: a request that is not released makes the next one fail. */
const fetch = createLiveFetch({ allowPrivateNetwork: true, limits: { perHost: 1, maxWaiting: 0 } })

function ask(more: Partial<LiveRequest> = {}) {
  const limits = { maxBytes: 1000, timeoutMs: 20_000, headersMs: 20_000, idleMs: 20_000 }
  return fetch(url, { ...limits, signal: new AbortController().signal, ...more })
}

test('a piece is delivered before the next is written', async () => {
  const rest = Promise.withResolvers<void>()
  answer = async (response) => {
    response.write('one')
    await rest.promise
    response.end('two')
  }
  const { status, pieces } = await ask()
  assert.equal(status, 200)
  const texts: string[] = []
  for await (const piece of pieces) {
    texts.push(Buffer.from(piece).toString())
    rest.resolve()
  }
  assert.deepEqual(texts, ['one', 'two'])
})

test('an answer that is too long, stalls, breaks off or has a coding ends with its reason, and releases its permit', async () => {
  answer = (response) => void response.end('a'.repeat(1001))
  await assert.rejects(gather((await ask()).pieces), AnswerTooLarge)
  answer = (response) => void response.write('one')
  await assert.rejects(
    async () => gather((await ask({ idleMs: 100 })).pieces),
    (error) => error instanceof Unreachable && error.isLate,
  )
  await assert.rejects(
    async () => gather((await ask({ timeoutMs: 200 })).pieces),
    (error) => error instanceof Unreachable && error.isLate,
  )
  answer = (response) => void response.write('one', () => response.destroy())
  await assert.rejects(gather((await ask()).pieces), Unreachable)
  answer = (response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('x')
  await assert.rejects(ask(), InvalidAnswer)
})

test('aborting, closing or stopping to read releases the permit', async () => {
  answer = (response) => void response.write('one')
  const left = new AbortController()
  const { pieces } = await ask({ signal: left.signal })
  left.abort(new Error('gone'))
  await assert.rejects(gather(pieces), /gone/)
  const unread = await ask()
  unread.close()
  for await (const _ of (await ask()).pieces) break
  await ask().then(({ close }) => close())
})

test('a connection whose answer was read is used again, and replaced if the host closed it', async () => {
  const ports: (number | undefined)[] = []
  const seen: string[] = []
  const reported = createServer((request, response) => {
    ports.push(request.socket.remotePort)
    seen.push(request.headers.connection ?? '')
    if (ports.length === 2) request.socket.destroy()
    else response.end('one')
  })
  reported.listen(0, '127.0.0.1')
  await once(reported, 'listening')
  const there = `http://127.0.0.1:${(reported.address() as AddressInfo).port}/`
  const limits = { maxBytes: 1000, timeoutMs: 20_000, headersMs: 20_000, idleMs: 20_000 }
  const read = async () => {
    const answer = await fetch(there, { ...limits, signal: new AbortController().signal })
    const pieces = await gather(answer.pieces)
    // A socket is free one turn after the end of its answer.
    await new Promise((resolve) => setImmediate(resolve))
    return Buffer.concat(pieces).toString()
  }
  assert.equal(await read(), 'one')
  // The second request meets a connection that is closing, and is sent once more.
  assert.equal(await read(), 'one')
  assert.equal(await read(), 'one')
  const [first, closed, third, fourth] = ports
  assert.deepEqual([closed, fourth], [first, third])
  assert.notEqual(first, third)
  assert.deepEqual(new Set(seen), new Set(['keep-alive']))
  // Unrequested bytes end the connection instead of being mistaken for the next answer.
  const stray = once(reported, 'request')
  const reading = read()
  const [{ socket }] = await stray
  await reading
  await new Promise<void>((resolve) => socket.write('HTTP/1.1 200 OK\r\n\r\nstray', () => resolve()))
  await once(socket, 'close')
  assert.equal(await read(), 'one')
  reported.closeAllConnections()
  reported.close()
})

test('a private address is refused unless the private network is allowed', async () => {
  const publicly = createLiveFetch({ allowPrivateNetwork: false })
  const limits = { maxBytes: 1000, timeoutMs: 20_000, headersMs: 20_000, idleMs: 20_000 }
  const requested = publicly('http://127.0.0.1/', { ...limits, signal: new AbortController().signal })
  await assert.rejects(requested, BlockedTarget)
})
