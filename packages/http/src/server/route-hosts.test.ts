import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answering, routeHosts } from './route-hosts.ts'

const named = (name: string): Answering => ({ fetch: () => new Response(name) })
const hosts = routeHosts(
  named('own'),
  new Map([
    ['https://data.example', named('data')],
    ['http://127.0.0.1:4099', named('port')],
  ]),
)

test("a request goes to the application of its host, and to the service's own for any other name", async () => {
  const cases: [string, string][] = [
    ['http://data.example/api/geo', 'data'],
    // Host is compared case-insensitively, and TLS is terminated before the service.
    ['http://DATA.example:443/', 'data'],
    ['http://data.example:80/', 'data'],
    ['http://data.example:4022/', 'own'],
    ['http://data.example.evil.example/', 'own'],
    ['http://127.0.0.1:4099/', 'port'],
    ['http://127.0.0.1:4022/', 'own'],
  ]
  for (const [url, expected] of cases)
    assert.equal(await (await hosts.fetch(new Request(url))).text(), expected, url)
})
