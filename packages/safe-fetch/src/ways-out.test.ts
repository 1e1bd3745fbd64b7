import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcp, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { BlockedTarget, InvalidAnswer, TooManyFetches, Unreachable } from '@tollbook/flow/failure'
import { spellAddress } from '@tollbook/testing/fetching/address-spellings'
import { startAddressServer } from '@tollbook/testing/servers/address-server'
import { createSafeFetch } from './safe-fetch.ts'

const LIMITS = { maxBytes: 10_000, timeoutMs: 60_000 }
const open = createSafeFetch({ allowPrivateNetwork: true })

async function serve(
  context: TestContext,
  listener: RequestListener,
  { host = '127.0.0.1', port: wanted = 0 } = {},
) {
  const seen: IncomingMessage[] = []
  const server = createServer((request, response) => {
    seen.push(request)
    listener(request, response)
  })
  server.listen(wanted, host)
  await once(server, 'listening')
  context.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://${host}:${port}`, port: String(port), seen }
}

/** Answers each connection with exactly these bytes. */
async function serveBytes(context: TestContext, write: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createTcp((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', () => write(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

test('a name whose server changes its answer leads only to the checked address', async (context) => {
  const front = await serve(context, (_request, response) => response.end('front'))
  // No client binds a port of this address, so the same port is free there.
  const secret = await serve(context, (_request, response) => response.end('secret'), {
    host: '127.0.0.2',
    port: Number(front.port),
  })
  let turn = 0
  const { server, asked } = await startAddressServer(context, (_name, type) => {
    if (type === 'AAAA') return []
    turn += 1
    return [turn % 2 === 1 ? '127.0.0.1' : '127.0.0.2']
  })
  const fetch = createSafeFetch({
    allowPrivateNetwork: false,
    // Here only 127.0.0.1 counts as public.
    isReachable: (address) => address === '127.0.0.1',
    ports: new Set([secret.port]),
    dnsServers: [server],
  })
  const outcomes = []
  for (let index = 0; index < 20; index += 1) {
    const fetched = fetch(`http://rebinding.example:${secret.port}/`, LIMITS)
    outcomes.push(await fetched.then(({ body }) => Buffer.from(body).toString()).catch((error) => error.name))
  }
  assert.deepEqual(
    outcomes,
    Array.from({ length: 20 }, (_, index) => (index % 2 ? 'BlockedTarget' : 'front')),
  )
  assert.equal(asked.filter((question) => question.startsWith('A ')).length, 20)
  assert.equal(secret.seen.length, 0)
})

test('a silent name server makes a host unreachable, within its own timeout', async (context) => {
  const { server } = await startAddressServer(context, () => null)
  const fetch = createSafeFetch({ allowPrivateNetwork: false, dnsServers: [server], limits: { dnsMs: 60 } })
  await assert.rejects(
    fetch('http://silent.example/', LIMITS),
    (error) => error instanceof Unreachable && error.phase === 'dns',
  )
})

test('an IPv6 address that contains a private one is also blocked in a name', async (context) => {
  const { server } = await startAddressServer(context, (_name, type) =>
    type === 'A' ? ['93.184.216.34'] : ['64:ff9b::7f00:1'],
  )
  const fetch = createSafeFetch({ allowPrivateNetwork: false, dnsServers: [server] })
  await assert.rejects(fetch('http://carrier.example/', LIMITS), BlockedTarget)
})

test('redirects to any spelling of another address are blocked before the connection', async (context) => {
  const secret = await serve(context, (_request, response) => response.end('secret'), { host: '127.0.0.2' })
  const spellings = spellAddress('127.0.0.2')
  const outer = await serve(context, (request, response) => {
    const index = Number(request.url?.slice(1))
    const status = [301, 302, 303, 307, 308][index % 5] ?? 302
    const target = `http://${spellings[index]}:${secret.port}/`
    // Bytes beyond ASCII are escaped, as servers do.
    const location = /^[\x21-\x7e]+$/.test(target) ? target : encodeURI(target)
    response.writeHead(status, { location }).end()
  })
  const fetch = createSafeFetch({
    allowPrivateNetwork: false,
    isReachable: (address) => address === '127.0.0.1',
    ports: new Set([outer.port, secret.port]),
    resolve: async () => [{ address: '127.0.0.2', family: 4 }],
  })
  for (const index of spellings.keys()) {
    await assert.rejects(fetch(`${outer.url}/${index}`, LIMITS), BlockedTarget, spellings[index])
  }
  assert.equal(outer.seen.length, spellings.length)
  assert.equal(secret.seen.length, 0)
})

test("the caller's headers are dropped at another origin, and nothing else is revealed", async (context) => {
  const other = await serve(context, (_request, response) => response.end())
  const first = await serve(context, (request, response) => {
    const location = request.url === '/a' ? '/b' : `${other.url}/c`
    response.writeHead(302, { location, 'set-cookie': 'id=1' }).end()
  })
  const headers = { authorization: 'Bearer secret', 'x-own': '1' }
  const answer = await open(`${first.url}/a`, { ...LIMITS, headers })
  assert.deepEqual(
    first.seen.map((request) => request.headers.authorization),
    ['Bearer secret', 'Bearer secret'],
  )
  const reported = other.seen[0]?.headers ?? {}
  assert.deepEqual(Object.keys(reported).sort(), [
    'accept',
    'accept-encoding',
    'connection',
    'host',
    'user-agent',
  ])
  assert.deepEqual(
    answer.redirects.map(({ url, status }) => [url, status]),
    [
      [`${first.url}/a`, 302],
      [`${first.url}/b`, 302],
    ],
  )
})

test('a redirect keeps or drops method and body according to its status', async (context) => {
  const { url, seen } = await serve(context, (request, response) => {
    const status = Number(request.url?.slice(1))
    if (status > 0) response.writeHead(status, { location: '/' }).end()
    else response.end()
  })
  const ask = async (status: number, method: 'GET' | 'HEAD' | 'POST') => {
    await open(`${url}/${status}`, { ...LIMITS, method, ...(method === 'POST' && { body: 'x' }) })
    const last = seen.at(-1)
    return [last?.method, last?.headers['content-length'] ?? null]
  }
  for (const status of [301, 302, 303]) assert.deepEqual(await ask(status, 'POST'), ['GET', null])
  for (const status of [307, 308]) assert.deepEqual(await ask(status, 'POST'), ['POST', '1'])
  for (const status of [301, 302, 303, 307]) assert.deepEqual(await ask(status, 'HEAD'), ['HEAD', null])
})

test('a body is sent to no other origin', async (context) => {
  const other = await serve(context, (_request, response) => response.end())
  const { url } = await serve(context, (_request, response) =>
    response.writeHead(307, { location: other.url }).end(),
  )
  await assert.rejects(open(url, { ...LIMITS, method: 'POST', body: 'x' }), BlockedTarget)
  assert.equal(other.seen.length, 0)
})

test('with no redirects to follow, the redirect is the answer', async (context) => {
  const { url } = await serve(context, (_request, response) =>
    response.writeHead(302, { location: 'http://169.254.169.254/' }).end('moved'),
  )
  const answer = await open(url, { ...LIMITS, maxRedirects: 0 })
  assert.deepEqual([answer.status, answer.headers.location], [302, 'http://169.254.169.254/'])
})

test('hosts can be blocked by name', async () => {
  const fetch = createSafeFetch({ allowPrivateNetwork: true, refusedHosts: new Set(['tollbook.example']) })
  for (const host of ['tollbook.example', 'TOLLBOOK.example.', 'ⓣollbook.example']) {
    await assert.rejects(fetch(`http://${host}/`, LIMITS), BlockedTarget)
  }
})

for (const [name, write] of Object.entries<(socket: Socket) => void>({
  'headers of 40 kB': (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(40_000)}\r\n\r\n`),
  'endless headers': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const more = () => socket.writable && socket.write(`a${'x'.repeat(1000)}: 1\r\n`, more)
    more()
  },
  'an answer that is not HTTP': (socket) => socket.write('220 mail.example ESMTP\r\n'),
  'two lengths': (socket) =>
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'),
  'both a length and chunks': (socket) =>
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'),
  'a broken status': (socket) => socket.write('HTTP/1.1 99999 X\r\n\r\n'),
})) {
  test(`${name} is an invalid answer`, async (context) => {
    await assert.rejects(open(await serveBytes(context, write), LIMITS), InvalidAnswer)
  })
}

test('a truncated body and a switch of protocols are unreachable', async (context) => {
  const cut = await serveBytes(context, (socket) =>
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'),
  )
  await assert.rejects(open(cut, LIMITS), Unreachable)
  const upgrade = await serveBytes(context, (socket) =>
    socket.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
  )
  await assert.rejects(open(upgrade, LIMITS), Unreachable)
})

test('an answer that does not begin, or stalls, has its own timeout', async (context) => {
  const impatient = createSafeFetch({ allowPrivateNetwork: true, limits: { headersMs: 1_000, idleMs: 60 } })
  const silent = await serve(context, () => {})
  await assert.rejects(
    impatient(silent.url, LIMITS),
    (error) => error instanceof Unreachable && error.phase === 'answer',
  )
  const stopping = await serve(context, (_request, response) => response.write('one drop'))
  await assert.rejects(
    impatient(stopping.url, LIMITS),
    (error) => error instanceof Unreachable && error.phase === 'body',
  )
})

test('the parts of a request are timed separately', async (context) => {
  const { url } = await serve(context, (_request, response) => setTimeout(() => response.end('late'), 60))
  const named = createSafeFetch({
    allowPrivateNetwork: true,
    resolve: async () => {
      await new Promise((resolve) => setTimeout(resolve, 40))
      return [{ address: '127.0.0.1', family: 4 }]
    },
  })
  const { timings, totalMs } = await named(url.replace('127.0.0.1', 'slow.example'), LIMITS)
  // Timers may fire a millisecond early.
  assert.ok(timings.dnsMs >= 39, `dns ${timings.dnsMs}`)
  assert.ok(timings.firstByteMs >= 59, `first byte ${timings.firstByteMs}`)
  assert.ok(timings.connectMs > 0 && timings.tlsMs === null)
  assert.ok(totalMs >= timings.dnsMs + timings.connectMs + timings.firstByteMs)
})

test('one host gets four requests at a time, one payer eight', async (context) => {
  let [atWork, max] = [0, 0]
  const waiting: (() => void)[] = []
  const first = await serve(context, (_request, response) => {
    atWork += 1
    max = Math.max(max, atWork)
    waiting.push(() => {
      atWork -= 1
      response.end()
    })
    // Running requests end once the maximum number has arrived.
    if (waiting.length === 4) for (const end of waiting.splice(0)) end()
  })
  await Promise.all(Array.from({ length: 20 }, () => open(first.url, LIMITS)))
  assert.equal(max, 4)

  const few = createSafeFetch({ allowPrivateNetwork: true, limits: { perPayer: 1, maxWaiting: 1 } })
  const held = await serve(context, () => {})
  const stop = new AbortController()
  const request = { ...LIMITS, payer: '0xaa', signal: stop.signal }
  const working = few(held.url, request)
  const waitingOne = few(held.url, request)
  await assert.rejects(few(held.url, request), TooManyFetches)
  stop.abort(new Error('enough'))
  await assert.rejects(working, /enough/)
  await assert.rejects(waitingOne, /enough/)
  assert.ok(held.seen.length <= 1)
})
