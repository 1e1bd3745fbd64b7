import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { normaliseItem } from './normalise-item.ts'

const READ_AT = new Date('2026-11-15T12:00:00Z')
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const PAYEE = '0x00000000000000000000000000000000000000A1'
const ACCEPT = { scheme: 'exact', network: 'eip155:8453', asset: USDC, payTo: PAYEE, amount: '2500' }
const ITEM = { resource: 'https://api.example.com/weather', type: 'http', accepts: [ACCEPT] }

const read = (item: unknown) => normaliseItem(item, READ_AT)
const readAccept = (change: object) => read({ ...ITEM, accepts: [{ ...ACCEPT, ...change }] })

test('the documented item of the CDP facilitator is read', () => {
  const path = new URL('golden/cdp-docs-discovery-item.json', import.meta.url)
  assert.deepEqual(read(JSON.parse(readFileSync(path, 'utf8'))), [
    {
      resource: 'https://api.example.com/x402/weather',
      host: 'api.example.com',
      payTo: '0xa2477e16dcb42e2ad80f03fe97d7f1a1646cd1c0',
      price: 200n,
      schemes: ['exact'],
      description: '',
      operation: 'GET',
      lastSeen: new Date('2025-08-09T01:07:04.005Z'),
    },
  ])
})

test('version 2 calls the price `amount`, version 1 `maxAmountRequired` and the network `base`', () => {
  assert.equal(readAccept({})[0]?.price, 2500n)
  const first = { amount: undefined, maxAmountRequired: '2500', network: 'base' }
  assert.equal(readAccept(first)[0]?.price, 2500n)
})

test('a numeric amount is accepted', () => {
  assert.equal(readAccept({ amount: 2500 })[0]?.price, 2500n)
})

for (const change of [
  { network: 'base-sepolia' },
  { network: 'eip155:84532' },
  { network: 'solana' },
  { asset: '0x4200000000000000000000000000000000000006' },
  { payTo: 'not an address' },
  { payTo: `0x${'0'.repeat(40)}` },
  { amount: '0.0025' },
  { amount: '-1' },
  { amount: '1e3' },
  { amount: '9'.repeat(16) },
  { amount: undefined },
]) {
  test(`a way to pay with ${JSON.stringify(change)} is omitted`, () => {
    assert.deepEqual(readAccept(change), [])
  })
}

for (const resource of [
  'ftp://example.com/',
  'javascript:alert(1)',
  'mcp://tool/x',
  'https://user:pass@example.com/',
  'https://=cmd.example.com/',
  '-',
  '',
  `https://example.com/${'a'.repeat(2100)}`,
]) {
  test(`a resource such as ${resource.slice(0, 40) || 'none'} is omitted`, () => {
    assert.deepEqual(read({ ...ITEM, resource }), [])
  })
}

test('of many ways to pay in USDC on Base the lowest fixed price counts, once per payee', () => {
  const other = '0x00000000000000000000000000000000000000b2'
  const accepts = [
    { ...ACCEPT, network: 'eip155:137', amount: '1' },
    { ...ACCEPT, scheme: 'upto', amount: '5' },
    { ...ACCEPT, amount: '20' },
    { ...ACCEPT, amount: '10' },
    { ...ACCEPT, payTo: other, scheme: 'upto', amount: '40' },
    { ...ACCEPT, payTo: other, scheme: 'upto', amount: '30' },
    null,
    'nonsense',
  ]
  const found = read({ ...ITEM, accepts })
  assert.deepEqual(
    found.map(({ payTo, price }) => [payTo, price]),
    [
      [PAYEE.toLowerCase(), 10n],
      [other, 30n],
    ],
  )
  assert.deepEqual(read({ ...ITEM, accepts: accepts.toReversed() }).length, 2)
})

test('an amount of 0 is the price only if no offer has another amount', () => {
  const free = { ...ACCEPT, amount: '0' }
  assert.equal(read({ ...ITEM, accepts: [free, { ...ACCEPT, scheme: 'upto' }] })[0]?.price, 2500n)
  assert.equal(read({ ...ITEM, accepts: [free] })[0]?.price, 0n)
})

test("the description is the item's, else the payment option's, else its metadata's", () => {
  const accepts = [{ ...ACCEPT, description: 'accept' }]
  const metadata = { description: 'metadata' }
  assert.equal(read({ ...ITEM, accepts, metadata, description: 'item' })[0]?.description, 'item')
  assert.equal(read({ ...ITEM, accepts, metadata })[0]?.description, 'accept')
  assert.equal(read({ ...ITEM, metadata })[0]?.description, 'metadata')
  const resource = { url: ITEM.resource, description: 'resource' }
  assert.equal(read({ ...ITEM, resource, metadata })[0]?.description, 'resource')
  assert.equal(read({ ...ITEM, accepts, description: ' \u200b ' })[0]?.description, 'accept')
})

test('the method is read from the discovery extension, and from the older output schema', () => {
  const extensions = { bazaar: { info: { input: { type: 'http', method: 'post' } } } }
  assert.equal(read({ ...ITEM, extensions })[0]?.operation, 'POST')
  assert.equal(readAccept({ outputSchema: { input: { method: 'PUT' } } })[0]?.operation, 'PUT')
  assert.equal(read(ITEM)[0]?.operation, '')
})

test('MCP listings are distinguished by their tool', () => {
  const extensions = { bazaar: { info: { input: { type: 'mcp', toolName: 'get_weather' } } } }
  assert.equal(read({ ...ITEM, type: 'mcp', extensions })[0]?.operation, 'get_weather')
})

test('the resource object of a version 2 challenge is read like its URL', () => {
  assert.equal(read({ ...ITEM, resource: { url: ITEM.resource } })[0]?.resource, ITEM.resource)
})

test('a fragment is not part of a resource, a port is part of its host', () => {
  const [listing] = read({ ...ITEM, resource: 'https://API.Example.com:8443/a#b' })
  assert.equal(listing?.resource, 'https://api.example.com:8443/a')
  assert.equal(listing?.host, 'api.example.com:8443')
})

for (const [resource, host] of [
  ['https://example.com./a', 'example.com'],
  ['https://bücher.example/a', 'xn--bcher-kva.example'],
  ['https://0x5db8d822/a', '93.184.216.34'],
] as const) {
  test(`the host of ${resource} is ${host}`, () => {
    const [listing] = read({ ...ITEM, resource })
    assert.deepEqual([listing?.host, listing?.resource], [host, `https://${host}/a`])
  })
}

test('a time that is missing, invalid or in the future becomes the time of reading', () => {
  for (const lastUpdated of [undefined, 'soon', '2999-01-01T00:00:00Z', -5]) {
    assert.deepEqual(read({ ...ITEM, lastUpdated })[0]?.lastSeen, READ_AT)
  }
})

test('an item with thousands of payees is listed for the first hundred', () => {
  const accepts = Array.from({ length: 10_000 }, (_, at) => ({
    ...ACCEPT,
    payTo: `0x${at.toString(16).padStart(40, 'a')}`,
  }))
  assert.equal(read({ ...ITEM, accepts }).length, 100)
})

test('reading an item with any content does not fail', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (value, accepts) => {
      read(value)
      read({ ...ITEM, accepts, metadata: value, extensions: value, lastUpdated: value, description: value })
      return read({ ...ITEM, metadata: value, extensions: value, method: value }).length === 1
    }),
  )
})

test('the schemes of a payee are kept, that of the price first', () => {
  const schemesOf = (...accepts: object[]) =>
    read({ ...ITEM, accepts: accepts.map((each) => ({ ...ACCEPT, ...each })) }).map(({ schemes }) => schemes)
  assert.deepEqual(schemesOf({ scheme: 'upto' }), [['upto']])
  assert.deepEqual(schemesOf({ scheme: 'upto', amount: '9' }, { scheme: 'exact' }, { scheme: 'upto' }), [
    ['exact', 'upto'],
  ])
  assert.deepEqual(schemesOf({ scheme: undefined }), [['unknown']])
  assert.deepEqual(schemesOf({ scheme: 'exact,exact' }), [['unknown']])
})
