import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttps } from 'node:https'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createServerResolve } from '@tollbook/safe-fetch/resolve'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { issuesOf, runEndpoint } from '@tollbook/testing/catalogue/run-endpoint'
import { makeCertificate } from '@tollbook/testing/servers/certificates'
import { startDnsServer } from '@tollbook/testing/servers/dns-server'
import { servePages } from '@tollbook/testing/servers/serve-pages'
import { serveTcp } from '@tollbook/testing/servers/serve-tcp'
import { ping } from './endpoint.ts'

const open = createSafeFetch({ allowPrivateNetwork: true })
const ask = (provided: Readonly<Record<string, unknown>>, fetch = open) =>
  runEndpoint(ping, provided, { ports: { fetch } })

test('every status below 500 is up, and a redirect is reported and not followed', async (context) => {
  const site = await servePages({
    '/': 'hello',
    '/moved': { status: 302, headers: { location: '/else?a=1' } },
    '/away': { status: 301, headers: { location: 'http://127.0.0.1:1/closed' } },
    '/broken': { status: 503 },
  })
  context.after(() => site.close())
  const common = { ip: '127.0.0.1', redirect_to: null, error: null, ts: '2026-11-21T10:00:00.000Z' }
  const expected = {
    '/': { up: true, status: 200, status_text: 'OK' },
    '/none': { up: true, status: 404, status_text: 'Not Found' },
    '/moved': { up: true, status: 302, status_text: 'Found', redirect_to: `${site.url}/else?a=1` },
    '/away': {
      up: true,
      status: 301,
      status_text: 'Moved Permanently',
      redirect_to: 'http://127.0.0.1:1/closed',
    },
    '/broken': {
      up: false,
      status: 503,
      status_text: 'Service Unavailable',
      error: { code: 'server_error', message: 'the target responded with 503' },
    },
  }
  for (const method of ['GET', 'HEAD']) {
    for (const [path, wanted] of Object.entries(expected)) {
      const url = `${site.url}${path}`
      const { latency_ms, ...answer } = await ask({ url, method })
      assert.deepEqual(answer, { url, ...common, ...wanted }, `${method} ${path}`)
      assert.ok(latency_ms > 0)
    }
  }
})

test('an endless body is not waited for', async (context) => {
  const host = await serveTcp(context, (socket) => {
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\nmore'))
  })
  assert.equal((await ask({ url: `http://${host}/`, timeout_ms: 5_000 })).up, true)
})

test('a target that is down is an answer with the reason, and with the address if one was reached', async (context) => {
  const closed = { url: 'http://127.0.0.1:1/' }
  const reset = await serveTcp(context, (socket) => socket.once('data', () => socket.resetAndDestroy()))
  const silent = await serveTcp(context, () => {})
  const other = await serveTcp(context, (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'))
  const hasty = await serveTcp(context, (socket) => socket.end())
  const { cert, key } = makeCertificate({ name: 'own', hosts: ['127.0.0.1'] })
  const tls = createHttps({ cert, key }, (_request, response) => response.end()).listen(0, '127.0.0.1')
  await once(tls, 'listening')
  context.after(() => void tls.close())
  const untrusted = `https://127.0.0.1:${(tls.address() as AddressInfo).port}/`
  const down: readonly (readonly [object, ip: string | null, code: string, message: RegExp])[] = [
    [closed, null, 'connection_refused', /^the connection failed \(ECONNREFUSED\)$/],
    [{ url: `http://${reset}/` }, '127.0.0.1', 'connection_reset', /ECONNRESET/],
    [{ url: `http://${hasty}/` }, '127.0.0.1', 'connection_reset', /ECONNRESET/],
    [{ url: `http://${silent}/`, timeout_ms: 150 }, '127.0.0.1', 'timeout', /^no full answer within 150 ms/],
    [{ url: `https://${silent}/`, timeout_ms: 150 }, '127.0.0.1', 'timeout', /^no full answer within 150 ms/],
    [{ url: `http://${other}/` }, '127.0.0.1', 'invalid_answer', /^the answer is not valid HTTP/],
    [{ url: `https://${other}/` }, '127.0.0.1', 'tls_failed', /^the TLS handshake failed \(ERR_SSL/],
    [{ url: untrusted }, '127.0.0.1', 'tls_failed', /\(DEPTH_ZERO_SELF_SIGNED_CERT\)$/],
  ]
  for (const [provided, ip, code, message] of down) {
    const answer = await ask({ ...provided })
    const { up, status, latency_ms } = answer
    assert.deepEqual(
      { up, status, latency_ms, ip: answer.ip },
      { up: false, status: null, latency_ms: null, ip },
    )
    assert.equal(answer.error.code, code, answer.error.message)
    assert.match(answer.error.message, message)
  }
})

test('a name that does not exist is down; unresponsive name servers are an uncharged error', async (context) => {
  const server = await startDnsServer({
    'failing.example': { rcode: 2 },
    'empty.example': { TXT: ['no address'] },
    'silent.example': { isSilent: true },
  })
  context.after(() => server.close())
  const fetch = createSafeFetch({
    allowPrivateNetwork: true,
    resolve: createServerResolve([server.address]),
    limits: { dnsMs: 1_500 },
  })
  for (const [host, reason] of [
    ['nowhere.example', 'ENOTFOUND'],
    ['empty.example', 'ENODATA'],
    ['failing.example', 'ESERVFAIL'],
  ] as const) {
    const { up, ip, error } = await ask({ url: `http://${host}/` }, fetch)
    const message = `the name of the host cannot be resolved (${reason})`
    assert.deepEqual([up, ip, error], [false, null, { code: 'dns_failed', message }])
  }
  await assert.rejects(ask({ url: 'http://silent.example/' }, fetch), {
    message: /^upstream_failed: The name servers of this service did not answer/,
  })
})

test('a private address is rejected, by literal and by name', async () => {
  const strict = createSafeFetch({
    allowPrivateNetwork: false,
    resolve: async () => [{ address: '10.0.0.1', family: 4 }],
  })
  for (const url of ['http://127.0.0.1/', 'http://[::1]/', 'http://inner.example.com/', 'http://localhost/'])
    await assert.rejects(
      ask({ url }, strict),
      { message: /^invalid_request: The URL cannot be fetched/ },
      url,
    )
})

test('an invalid URL, method or timeout is reported before payment', () => {
  const parametersOf = (provided: object) => issuesOf(ping, provided).map(({ parameter }) => parameter)
  const url = 'https://example.com/'
  assert.deepEqual(parametersOf({ url: 'example.com' }), ['url'])
  assert.deepEqual(parametersOf({ url, method: 'POST' }), ['method'])
  for (const timeout_ms of [99, 15_001, 1.5, 'soon'])
    assert.deepEqual(parametersOf({ url, timeout_ms }), ['timeout_ms'])
  for (const timeout_ms of [100, 15_000]) assert.deepEqual(parametersOf({ url, timeout_ms }), [])
})
