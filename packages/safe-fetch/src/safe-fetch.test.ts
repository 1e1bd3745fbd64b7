import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { AnswerTooLarge, BlockedTarget, InvalidAnswer, Unreachable } from '@tollbook/flow/failure'
import { createSafeFetch } from './safe-fetch.ts'

const LIMITS = { maxBytes: 10_000, timeoutMs: 60_000 }
const open = createSafeFetch({ allowPrivateNetwork: true })

/** Listens on loopback; returns the base URL and the number of requests so far. */
async function serve(context: TestContext, listener: RequestListener) {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(request.url ?? '')
    listener(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

test('an answer has its status, headers, body and URL', async (context) => {
  const { url } = await serve(context, (_request, response) => {
    response.writeHead(404, { 'Content-Type': 'text/plain', 'X-Two': ['a', 'b'] }).end('nothing here')
  })
  const answer = await open(`${url}/path`, LIMITS)
  assert.equal(answer.status, 404)
  assert.equal(answer.url, `${url}/path`)
  assert.equal(answer.headers['content-type'], 'text/plain')
  assert.equal(answer.headers['x-two'], 'a, b')
  assert.equal(Buffer.from(answer.body).toString(), 'nothing here')
})

test('a loopback literal is never connected to if the private network is not allowed', async (context) => {
  const { url, seen } = await serve(context, (_request, response) => response.end('secret'))
  const closed = createSafeFetch({ allowPrivateNetwork: false })
  await assert.rejects(closed(url, LIMITS), BlockedTarget)
  assert.deepEqual(seen, [])
})

test('a name is blocked if any of its addresses is private', async () => {
  const addresses: LookupAddress[] = [
    { address: '93.184.216.34', family: 4 },
    { address: '10.0.0.1', family: 4 },
  ]
  const closed = createSafeFetch({ allowPrivateNetwork: false, resolve: async () => addresses })
  await assert.rejects(closed('http://both.example/', LIMITS), BlockedTarget)
})

test('the system resolver cannot lead to the loopback', async () => {
  await assert.rejects(
    createSafeFetch({ allowPrivateNetwork: false })('http://localhost/', LIMITS),
    BlockedTarget,
  )
})

test('a redirect from a reachable address to a forbidden one is blocked before the connection', async (context) => {
  // Here only 127.0.0.1 counts as public: the whole of 127.0.0.0/8 answers on this machine.
  const secret = await serve(context, (_request, response) => response.end('secret'))
  const port = new URL(secret.url).port
  for (const host of ['127.0.0.2', '[::ffff:127.0.0.1]', '2130706434', 'inside.example']) {
    const outer = await serve(context, (_request, response) =>
      response.writeHead(307, { location: `http://${host}:${port}/` }).end(),
    )
    const fetch = createSafeFetch({
      allowPrivateNetwork: false,
      isReachable: (address) => address === '127.0.0.1',
      ports: new Set([new URL(outer.url).port, port]),
      resolve: async () => [{ address: '127.0.0.2', family: 4 }],
    })
    await assert.rejects(fetch(outer.url, LIMITS), BlockedTarget, host)
    assert.deepEqual(outer.seen, ['/'])
  }
  assert.deepEqual(secret.seen, [])
})

test('redirects are followed, each with its own check', async (context) => {
  const { url, seen } = await serve(context, (request, response) => {
    if (request.url === '/a') response.writeHead(302, { location: '/b' }).end()
    else response.end('arrived')
  })
  const answer = await open(`${url}/a`, LIMITS)
  assert.equal(answer.url, `${url}/b`)
  assert.deepEqual(seen, ['/a', '/b'])
})

for (const location of ['file:///etc/passwd', 'http://user:pass@127.0.0.1/', 'gopher://127.0.0.1/']) {
  test(`a redirect to ${location} is blocked`, async (context) => {
    const { url } = await serve(context, (_request, response) => response.writeHead(301, { location }).end())
    await assert.rejects(open(url, LIMITS), BlockedTarget)
  })
}

test('endless redirects are an invalid answer', async (context) => {
  const { url, seen } = await serve(context, (_request, response) =>
    response.writeHead(302, { location: '/again' }).end(),
  )
  await assert.rejects(open(url, { ...LIMITS, maxRedirects: 2 }), InvalidAnswer)
  assert.equal(seen.length, 3)
})

test('gzip and brotli bodies are decoded', async (context) => {
  const { url } = await serve(context, (request, response) => {
    const isGzip = request.url === '/gzip'
    response.writeHead(200, { 'content-encoding': isGzip ? 'gzip' : 'br' })
    response.end(isGzip ? gzipSync('text') : brotliCompressSync('text'))
  })
  for (const path of ['/gzip', '/br']) {
    assert.equal(Buffer.from((await open(url + path, LIMITS)).body).toString(), 'text')
  }
})

test('the limit counts decoded bytes: 1 kB on the wire that decompresses to 1 MB is too large', async (context) => {
  const packed = gzipSync(Buffer.alloc(1_000_000))
  assert.ok(packed.length < 2000)
  const { url } = await serve(context, (_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed),
  )
  await assert.rejects(open(url, LIMITS), AnswerTooLarge)
})

test('an answer of exactly the limit is accepted, one byte more is not', async (context) => {
  const { url } = await serve(context, (_request, response) => response.end(Buffer.alloc(10_000)))
  assert.equal((await open(url, LIMITS)).body.length, 10_000)
  await assert.rejects(open(url, { ...LIMITS, maxBytes: 9_999 }), AnswerTooLarge)
})

test('several layers of coding and broken codings are invalid answers', async (context) => {
  const { url } = await serve(context, (request, response) => {
    response.writeHead(200, { 'content-encoding': request.url === '/two' ? 'gzip, gzip' : 'gzip' })
    response.end(request.url === '/two' ? gzipSync(gzipSync('x')) : 'this is not gzip')
  })
  await assert.rejects(open(`${url}/two`, LIMITS), InvalidAnswer)
  await assert.rejects(open(`${url}/broken`, LIMITS), InvalidAnswer)
})

test('a host that never finishes its answer is unreachable after the timeout', async (context) => {
  const { url } = await serve(context, (_request, response) => response.write('one drop'))
  await assert.rejects(open(url, { ...LIMITS, timeoutMs: 100 }), Unreachable)
})

test('a closed port is unreachable', async () => {
  await assert.rejects(open('http://127.0.0.1:1/', LIMITS), Unreachable)
})

test('the caller can abort a fetch', async (context) => {
  const { url } = await serve(context, () => {})
  const stop = new AbortController()
  const fetched = open(url, { ...LIMITS, signal: stop.signal })
  stop.abort(new Error('enough'))
  await assert.rejects(fetched, /enough/)
})
