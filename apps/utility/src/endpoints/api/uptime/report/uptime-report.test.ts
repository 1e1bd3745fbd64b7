import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { issuesOf, runEndpoint } from '@tollbook/testing/catalogue/run-endpoint'
import { makeCertificate } from '@tollbook/testing/servers/certificates'
import { startDnsServer } from '@tollbook/testing/servers/dns-server'
import { servePages } from '@tollbook/testing/servers/serve-pages'
import { serveTcp } from '@tollbook/testing/servers/serve-tcp'
import { serveTls } from '@tollbook/testing/servers/serve-tls'
import { createDnsResolver } from '../../../../dns/dns-resolver.ts'
import { openGeoData } from '../../../../geo/geo-data.ts'
import { uptimeReport } from './endpoint.ts'

const ports = {
  fetch: createSafeFetch({
    allowPrivateNetwork: true,
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  }),
  dns: createDnsResolver({ servers: ['127.0.0.1:1'], timeoutMs: 50, tries: 1 }),
  locate: async () => null,
}
const ask = (url: string, more: object = {}) =>
  runEndpoint(uptimeReport, { url }, { ports: { ...ports, ...more } })

async function serveHttp(context: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a report has all documented fields, and no cookies', async (context) => {
  const site = await servePages({
    '/': { headers: { server: 'nginx', 'set-cookie': 'secret=1', age: '7', date: 'now', 'keep-alive': 'x' } },
    '/moved': { status: 301, headers: { location: '/again' } },
    '/again': { status: 307, headers: { location: '/' } },
  })
  context.after(() => site.close())
  const { timings, elapsed_ms, redirects, ...answer } = await ask(`${site.url}/moved`)
  assert.deepEqual(answer, {
    url: `${site.url}/moved`,
    final_url: `${site.url}/`,
    up: true,
    status: 200,
    status_text: 'OK',
    error: null,
    method_used: 'HEAD',
    http_version: '1.1',
    tls: null,
    http2: false,
    server: { ip: '127.0.0.1', family: 4, location: null },
    cdn: { detected: false, provider: null, evidence: [], cname: [] },
    headers: { server: 'nginx', age: '7', date: 'now', 'content-type': 'text/html; charset=utf-8' },
    ts: '2026-11-21T10:00:00.000Z',
  })
  assert.deepEqual(
    redirects.map(({ ms, ...hop }: { ms: number }) => ({ ...hop, isTimed: ms > 0 })),
    [
      { url: `${site.url}/moved`, status: 301, location: `${site.url}/again`, isTimed: true },
      { url: `${site.url}/again`, status: 307, location: `${site.url}/`, isTimed: true },
    ],
  )
  const { dns_ms, tcp_ms, tls_ms, ttfb_ms, total_ms } = timings
  assert.deepEqual([dns_ms >= 0, tcp_ms > 0, tls_ms, ttfb_ms > 0], [true, true, null, true])
  // Each of the parts is rounded to a tenth.
  assert.ok(Math.abs(total_ms - (dns_ms + tcp_ms + ttfb_ms)) < 0.3)
  assert.ok(elapsed_ms >= total_ms)
})

test('GET is used if HEAD is answered with 400, 403, 405 or 501, and only then', async (context) => {
  const seen: string[] = []
  const url = await serveHttp(context, (request, response) => {
    seen.push(request.method ?? '')
    response.writeHead(request.method === 'HEAD' ? Number(request.url?.slice(1)) : 200).end()
  })
  for (const status of [400, 403, 405, 501]) {
    const { method_used, status: said, up } = await ask(`${url}/${status}`)
    assert.deepEqual([method_used, said, up, seen.splice(0)], ['GET', 200, true, ['HEAD', 'GET']])
  }
  for (const status of [200, 401, 404, 410, 429, 500, 503]) {
    const { method_used, status: said, up, error } = await ask(`${url}/${status}`)
    assert.deepEqual([method_used, said, up, seen.splice(0)], ['HEAD', status, status < 500, ['HEAD']])
    assert.equal(error?.code, status < 500 ? undefined : 'server_error')
  }
})

test('if the GET gets no response, the response to HEAD is used', async (context) => {
  const url = await serveHttp(context, (request, response) => {
    if (request.method === 'HEAD') response.writeHead(403).end()
    else request.socket.destroy()
  })
  const { method_used, status, up, error } = await ask(url)
  assert.deepEqual([method_used, status, up, error], ['HEAD', 403, true, null])
})

test('ten redirects are followed; with more, the chain is reported as too long', async (context) => {
  const url = await serveHttp(context, (request, response) => {
    const left = Number(request.url?.slice(1))
    if (left === 0) response.end()
    else response.writeHead(302, { location: `/${left - 1}` }).end()
  })
  const ten = await ask(`${url}/10`)
  assert.deepEqual([ten.up, ten.redirects.length, ten.final_url], [true, 10, `${url}/0`])
  const eleven = await ask(`${url}/11`)
  assert.deepEqual(
    [eleven.up, eleven.status, eleven.error, eleven.redirects.length],
    [false, null, { code: 'invalid_answer', message: 'there are too many redirects' }, 10],
  )
})

test('a target that is down is reported with the phases that were reached', async (context) => {
  const silent = await serveTcp(context, () => {})
  const impatient = createSafeFetch({
    allowPrivateNetwork: true,
    limits: { headersMs: 1_000, connectMs: 1_000 },
  })
  const away = await serveHttp(context, (_request, response) =>
    response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
  )
  const refused = await ask(`${away}/`)
  const { dns_ms, ...timings } = refused.timings
  const nothing = { tcp_ms: null, tls_ms: null, ttfb_ms: null, total_ms: null }
  assert.deepEqual([refused.up, refused.status, refused.error.code], [false, null, 'connection_refused'])
  assert.deepEqual([timings, refused.server.ip, refused.tls], [nothing, null, null])
  // An address needs no name server.
  assert.ok(dns_ms >= 0)
  assert.deepEqual([refused.final_url, refused.redirects.length], ['http://127.0.0.1:1/', 1])
  for (const [scheme, message] of [
    ['http', 'no answer within 1000 ms'],
    ['https', 'no TLS handshake within 1000 ms'],
  ]) {
    const { up, error, timings, server } = await ask(`${scheme}://${silent}/`, { fetch: impatient })
    assert.equal(up, false)
    assert.equal(error.code, 'timeout')
    assert.ok(error.message.startsWith(message), error.message)
    assert.deepEqual([server.ip, timings.tcp_ms > 0, timings.ttfb_ms], ['127.0.0.1', true, null])
  }
})

test('a slow handshake and a slow response are timed separately', async (context) => {
  const port = await serveTls(context, {
    certificate: makeCertificate({ name: 'slow.example', hosts: ['slow.example'] }),
    slowTlsMs: 40,
    answer: (_request, response) => void setTimeout(() => response.end(), 80),
  })
  const { timings, http2 } = await ask(`https://slow.example:${port}/`)
  assert.ok(http2)
  // Timers may fire a millisecond early.
  assert.ok(timings.tls_ms >= 39, `${timings.tls_ms}`)
  assert.ok(timings.ttfb_ms >= 79, `${timings.ttfb_ms}`)
})

test('the CDN is found by headers and by aliases of the name', async (context) => {
  const zone = await startDnsServer({
    'www.shop.example': { CNAME: 'shop.example.edgekey.net' },
    'shop.example.edgekey.net': { CNAME: 'e1.a.akamaiedge.net' },
    'e1.a.akamaiedge.net': { A: ['127.0.0.1'] },
    'plain.example': { A: ['127.0.0.1'] },
    'silent.example': { isSilent: true },
    'circle.example': { CNAME: 'circle.example' },
  })
  context.after(() => zone.close())
  const dns = createDnsResolver({ servers: [zone.address], timeoutMs: 1_000, tries: 1 })
  const site = await servePages({
    '/': '',
    '/cf': { headers: { 'cf-ray': '8f1a-FRA', server: 'cloudflare' } },
  })
  context.after(() => site.close())
  const cdnOf = async (host: string, path = '/') =>
    (await ask(site.url.replace('127.0.0.1', host) + path, { dns })).cdn
  const chain = ['shop.example.edgekey.net', 'e1.a.akamaiedge.net']
  assert.deepEqual(await cdnOf('www.shop.example'), {
    detected: true,
    provider: 'Akamai',
    cname: chain,
    evidence: chain.map((seen) => ({ provider: 'Akamai', source: 'name', seen })),
  })
  assert.deepEqual(await cdnOf('plain.example', '/cf'), {
    detected: true,
    provider: 'Cloudflare',
    cname: [],
    evidence: [
      { provider: 'Cloudflare', source: 'header', seen: 'cf-ray: 8f1a-FRA' },
      { provider: 'Cloudflare', source: 'header', seen: 'server: cloudflare' },
    ],
  })
  const none = { detected: false, provider: null, evidence: [] }
  assert.deepEqual(await cdnOf('circle.example'), { ...none, cname: [] })
  assert.deepEqual(await cdnOf('silent.example'), { ...none, cname: null })
})

test('the server is located, with the attribution of the data', async (context) => {
  const site = await servePages({ '/': '' })
  context.after(() => site.close())
  const byData = await openGeoData({ files: [], attribution: null })
  // The site is on loopback, which has no location; a public address is used instead.
  const locate = (address: string, signal: AbortSignal) =>
    byData(address === '127.0.0.1' ? '193.0.6.139' : address, signal)
  const { country, lat, lon, attribution } = (await ask(site.url, { locate })).server.location
  // www.ripe.net is in Amsterdam.
  assert.equal(country, 'NL')
  assert.ok(lat === null || (Math.abs(lat - 52.4) < 1 && Math.abs(lon - 4.9) < 1))
  assert.match(attribution, /https:\/\//)
})

test('a target that is not allowed is rejected, also behind a redirect', async (context) => {
  const away = await serveHttp(context, (_request, response) =>
    response.writeHead(302, { location: 'http://inner.example/' }).end(),
  )
  const strict = createSafeFetch({ allowPrivateNetwork: false })
  const guarded = createSafeFetch({ allowPrivateNetwork: true, refusedHosts: new Set(['inner.example']) })
  const refusal = { message: /^invalid_request: The URL cannot be fetched/ }
  await assert.rejects(ask('http://127.0.0.1/', { fetch: strict }), refusal)
  await assert.rejects(ask(away, { fetch: guarded }), refusal)
})

test('an invalid URL is reported before payment', () => {
  for (const url of ['', 'example.com', 'ftp://example.com'])
    assert.equal(issuesOf(uptimeReport, { url })[0]?.parameter, 'url', url)
})
