import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createSecureServer, type Http2SecureServer } from 'node:http2'
import { createServer as createHttps, type Server } from 'node:https'
import { type AddressInfo, createServer as createTcp } from 'node:net'
import { type TestContext, test } from 'node:test'
import { Unreachable } from '@tollbook/flow/failure'
import { type Certificate, makeCertificate } from '@tollbook/testing/servers/certificates'
import { createSafeFetch } from './safe-fetch.ts'

const DAY_MS = 86_400_000
const LIMITS = { maxBytes: 10_000, timeoutMs: 60_000 }
const HOSTS = ['good.example', '127.0.0.1']
const authority = makeCertificate({ name: 'Root', isAuthority: true })
const middle = makeCertificate({ name: 'Middle', isAuthority: true, issuer: authority })
const good = makeCertificate({ name: 'good.example', hosts: HOSTS, issuer: authority })

const open = createSafeFetch({
  allowPrivateNetwork: true,
  ca: [authority.cert],
  resolve: async () => [{ address: '127.0.0.1', family: 4 }],
})

async function listenOn(context: TestContext, server: Server | Http2SecureServer): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => void server.close())
  return (server.address() as AddressInfo).port
}

function serve(context: TestContext, { cert, key }: Pick<Certificate, 'cert' | 'key'>): Promise<number> {
  return listenOn(
    context,
    createHttps({ cert, key }, (_request, response) => response.end('private')),
  )
}

test('a certificate of a known authority is trusted, by name and by address', async (context) => {
  const port = await serve(context, good)
  for (const host of HOSTS) {
    const answer = await open(`https://${host}:${port}/`, { ...LIMITS, certificates: 'report' })
    assert.equal(Buffer.from(answer.body).toString(), 'private')
    assert.equal(answer.httpVersion, '1.1')
    assert.equal(answer.address, '127.0.0.1')
    const { tls, timings } = answer
    assert.deepEqual(
      [tls?.isTrusted, tls?.trustError, tls?.protocol, tls?.alpn],
      [true, null, 'TLSv1.3', 'http/1.1'],
    )
    assert.match(tls?.cipher ?? '', /^TLS_/)
    assert.deepEqual(
      [tls?.certificate?.subject, tls?.certificate?.issuer, tls?.certificate?.isOfHost],
      ['CN=good.example', 'CN=Root', true],
    )
    assert.equal(tls?.certificate?.altNames, 'DNS:good.example, IP Address:127.0.0.1')
    assert.match(tls?.certificate?.fingerprint256 ?? '', /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/)
    assert.ok(timings.tlsMs !== null && timings.tlsMs > 0)
  }
})

const UNTRUSTED: Readonly<Record<string, readonly [Pick<Certificate, 'cert' | 'key'>, string]>> = {
  expired: [
    makeCertificate({ name: 'x', hosts: HOSTS, issuer: authority, to: new Date(Date.now() - DAY_MS / 2) }),
    'CERT_HAS_EXPIRED',
  ],
  'not valid yet': [
    makeCertificate({ name: 'x', hosts: HOSTS, issuer: authority, from: new Date(Date.now() + DAY_MS) }),
    'CERT_NOT_YET_VALID',
  ],
  'of another host': [
    makeCertificate({ name: 'x', hosts: ['other.example'], issuer: authority }),
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ],
  'self-signed': [makeCertificate({ name: 'x', hosts: HOSTS }), 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  'without its intermediate': [
    makeCertificate({ name: 'x', hosts: HOSTS, issuer: middle }),
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ],
}

for (const [name, [certificate, trustError]] of Object.entries(UNTRUSTED)) {
  test(`a certificate that is ${name} ends a fetch, or is reported as ${trustError}`, async (context) => {
    const port = await serve(context, certificate)
    const url = `https://good.example:${port}/`
    await assert.rejects(open(url, LIMITS), (error) => error instanceof Unreachable && error.phase === 'tls')
    const { tls, status } = await open(url, { ...LIMITS, certificates: 'report' })
    assert.equal(status, 200)
    assert.deepEqual([tls?.isTrusted, tls?.trustError], [false, trustError])
    assert.equal(tls?.certificate?.isOfHost, name !== 'of another host')
  })
}

test('the chain that a host sends is reported', async (context) => {
  const leaf = makeCertificate({ name: 'leaf', hosts: HOSTS, issuer: middle })
  const port = await serve(context, { cert: leaf.cert + middle.cert, key: leaf.key })
  const { tls } = await open(`https://good.example:${port}/`, { ...LIMITS, certificates: 'report' })
  assert.equal(tls?.isTrusted, true)
  assert.deepEqual(tls?.certificate?.chain.slice(0, 1), ['CN=Middle'])
})

/** Serves HTTP/2, and HTTP/1.1 if allowed. */
async function serveHttp2(context: TestContext, allowHTTP1: boolean): Promise<number> {
  const server = createSecureServer({ cert: good.cert, key: good.key, allowHTTP1 })
  server.on('request', (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'text/plain', 'x-two': ['a', 'b'] })
      response.end(`${request.httpVersion} ${request.method} ${request.url} ${Buffer.concat(chunks)}`)
    })
  })
  return listenOn(context, server)
}

test('HTTP/2 is used if it is offered and supported', async (context) => {
  const port = await serveHttp2(context, true)
  const url = `https://good.example:${port}/path?q=1`
  const both = { ...LIMITS, alpn: ['h2', 'http/1.1'], certificates: 'report' } as const
  const answer = await open(url, { ...both, method: 'POST', body: 'sent' })
  assert.equal(answer.httpVersion, '2')
  assert.equal(answer.tls?.alpn, 'h2')
  assert.equal(Buffer.from(answer.body).toString(), '2.0 POST /path?q=1 sent')
  assert.deepEqual([answer.headers['content-type'], answer.headers['x-two']], ['text/plain', 'a, b'])
  const head = await open(url, { ...both, method: 'HEAD' })
  assert.deepEqual([head.status, head.body.length, head.httpVersion], [200, 0, '2'])
  assert.equal((await open(url, LIMITS)).httpVersion, '1.1')
})

test('a host that supports only HTTP/2 is reached nevertheless', async (context) => {
  const port = await serveHttp2(context, false)
  const answer = await open(`https://good.example:${port}/`, LIMITS)
  assert.equal(answer.httpVersion, '2')
  assert.equal(Buffer.from(answer.body).toString(), '2.0 GET / ')
})

test('an answer over HTTP/2 has the same limits', async (context) => {
  const server = createSecureServer({ cert: good.cert, key: good.key })
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {})
    switch (headers[':path']) {
      case '/large':
        stream.respond({})
        stream.end(Buffer.alloc(20_000))
        break
      case '/reset':
        stream.close(2)
        break
      case '/headers':
        stream.respond(Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`x-${index}`, 'x'])))
        break
      default:
    }
  })
  const port = await listenOn(context, server)
  const ask = (path: string) => open(`https://good.example:${port}${path}`, { ...LIMITS, alpn: ['h2'] })
  await assert.rejects(ask('/large'), { name: 'AnswerTooLarge' })
  for (const path of ['/reset', '/headers']) {
    await assert.rejects(ask(path), (error) => error instanceof Unreachable && error.phase === 'answer')
  }
})

test('a host that never completes the handshake is unreachable after the timeout for connections', async (context) => {
  const server = createTcp(() => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => void server.close())
  const impatient = createSafeFetch({ allowPrivateNetwork: true, limits: { connectMs: 1_000 } })
  const { port } = server.address() as AddressInfo
  await assert.rejects(
    impatient(`https://127.0.0.1:${port}/`, LIMITS),
    (error) => error instanceof Unreachable && error.phase === 'tls' && /within 1000 ms/.test(error.message),
  )
})
