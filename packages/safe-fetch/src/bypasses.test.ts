import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { BlockedTarget } from '@tollbook/flow/failure'
import { spellAddress } from '@tollbook/testing/fetching/address-spellings'
import {
  SPECIAL_IPV4_BLOCKS,
  SPECIAL_IPV6_BLOCKS,
  sampleBlock,
} from '@tollbook/testing/fetching/special-blocks'
import { NAMES, PORTS, SCHEMES, TRICKS } from '@tollbook/testing/fetching/url-tricks'
import { isPublicAddress } from './public-address.ts'
import { createSafeFetch, type SafeFetch } from './safe-fetch.ts'

/** Forbidden targets: this machine, private networks, metadata services of clouds. */
const TARGETS = [
  '127.0.0.1',
  '127.0.0.2',
  '0.0.0.0',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '169.254.170.2',
  '100.100.100.200',
  '192.0.0.192',
]

let heard = 0
let port = ''
let guarded: SafeFetch
let close = () => {}

before(async () => {
  const server = createServer((_request, response) => {
    heard += 1
    response.end('secret')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = String((server.address() as AddressInfo).port)
  close = () => {
    server.closeAllConnections()
    server.close()
  }
  guarded = createSafeFetch({
    allowPrivateNetwork: false,
    ports: new Set(['', '443', port]),
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  })
})
after(() => close())

/** The URLs whose fetch is not blocked. */
async function getThrough(urls: readonly string[]): Promise<readonly string[]> {
  const passed: string[] = []
  for (const url of urls) {
    const outcome = await guarded(url, { maxBytes: 100, timeoutMs: 60_000 }).catch((error: unknown) => error)
    if (!(outcome instanceof BlockedTarget)) passed.push(url)
  }
  return passed
}

const blocks = [...SPECIAL_IPV4_BLOCKS, ...SPECIAL_IPV6_BLOCKS].flatMap(sampleBlock)
const inUrl = (address: string) => (address.includes(':') ? `[${address}]` : address)

const TABLES: Readonly<Record<string, () => readonly string[]>> = {
  'addresses of the IANA special-purpose registries': () =>
    blocks.map((each) => `http://${inUrl(each)}:${port}/`),
  'spellings of private addresses': () =>
    TARGETS.flatMap(spellAddress).map((host) => `http://${host}:${port}/`),
  'names that lead to this machine': () => NAMES.map((host) => `http://${host}:${port}/`),
  'tricks on URL parsers': () => TRICKS.map((url) => url.replaceAll('{p}', port)),
  'other schemes, and texts that are not URLs': () => SCHEMES,
  'ports of other services': () => PORTS.map((each) => `http://93.184.216.34:${each}/`),
}

for (const [name, urls] of Object.entries(TABLES)) {
  test(`${name} do not get through`, async () => {
    assert.deepEqual(await getThrough(urls()), [])
    assert.equal(heard, 0)
  })
}

test('700 different bypasses are tried', () => {
  const tried = new Set(Object.values(TABLES).flatMap((urls) => urls()))
  assert.ok(tried.size >= 700, `${tried.size}`)
})

test('what is refused in a URL is also refused as an address', () => {
  assert.deepEqual(
    blocks.filter((address) => isPublicAddress(address)),
    [],
  )
})

test('the neighbours of the special blocks are public and can be fetched', () => {
  const neighbours = [
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '172.15.255.255',
  ]
  const more = [
    '172.32.0.0',
    '192.0.1.0',
    '192.169.0.0',
    '198.20.0.0',
    '223.255.255.255',
    '2001:200::',
    '2003::',
  ]
  for (const address of [...neighbours, ...more, '2620:4f:7fff::', '2620:4f:8001::', '3ffe:ffff::']) {
    assert.equal(isPublicAddress(address), true, address)
  }
})

test('the test server is reachable if private addresses are allowed', async () => {
  const open = createSafeFetch({ allowPrivateNetwork: true })
  const answer = await open(`http://127.0.0.1:${port}/`, { maxBytes: 100, timeoutMs: 60_000 })
  assert.equal(Buffer.from(answer.body).toString(), 'secret')
  assert.equal(heard, 1)
})
