import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { openHost } from './host-reader.ts'

/** A host on loopback with this robots.txt; everything else is 204. */
async function serveHost(context: TestContext, robots: string) {
  const requests: { readonly path: string; readonly atMs: number }[] = []
  const server = createServer(({ url: path = '' }, response) => {
    requests.push({ path, atMs: performance.now() })
    response.writeHead(path === '/robots.txt' ? 200 : 204).end(path === '/robots.txt' ? robots : undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => server.close())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const fetch = createSafeFetch({ allowPrivateNetwork: true })
  const host = await openHost({ origin, fetch, pauseMs: 0, signal: new AbortController().signal })
  return { requests, get: (path: string) => host.request(`${origin}${path}`, { maxBytes: 1000 }) }
}

test('paths that robots.txt disallows in another percent-encoding are not fetched', async (context) => {
  const robots = 'User-agent: Tollbook/0.1\nDisallow: /café\nDisallow: /a%3cd\nDisallow: /%70rivate'
  const { requests, get } = await serveHost(context, robots)
  for (const path of ['/caf%C3%A9', '/a%3Cd', '/private']) assert.equal(await get(path), null, path)
  assert.equal((await get('/public'))?.status, 204)
  assert.deepEqual(
    requests.map(({ path }) => path),
    ['/robots.txt', '/public'],
  )
})

test("the pause between two requests is at least the host's Crawl-delay", async (context) => {
  const { requests, get } = await serveHost(context, 'User-agent: *\nCrawl-delay: 0.2')
  for (const path of ['/a', '/b']) await get(path)
  const pausesMs = requests.slice(1).map(({ atMs }, at) => atMs - (requests[at]?.atMs ?? 0))
  assert.equal(pausesMs.length, 2)
  // Timers count whole milliseconds.
  assert.ok(Math.min(...pausesMs) >= 199, String(pausesMs))
})
