import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SettlingWallet } from '@tollbook/devchain/facilitator/settling-wallet'
import { createStockFacilitator } from '@tollbook/devchain/facilitator/stock-facilitator'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { serveSource } from '@tollbook/testing/report/discovery-source'
import { knownFacilitators } from '@tollbook/verify/chain/facilitators'
import { compareWithServices, FACILITATOR_SERVICES } from './supported-signers.ts'

const wallet = new SettlingWallet({ rpcUrl: 'http://127.0.0.1:1', key: `0x${'11'.repeat(32)}` })
const WALLET = wallet.account.address.toLowerCase() as `0x${string}`
const LISTED = `0x${'aa'.repeat(20)}` as const
const options = {
  fetch: createSafeFetch({ allowPrivateNetwork: true }),
  signal: new AbortController().signal,
}

/** What the SDK's own facilitator answers to `GET /supported`. */
const supported = () => JSON.stringify(createStockFacilitator(wallet.signer()).getSupported())

test('a wallet that a facilitator of the SDK names is new, and a listed one that it leaves out is unnamed', async (context) => {
  const { url, requests } = await serveSource(context, () => ({ body: supported() }))
  const service = { facilitator: 'acme', url: `${url}/`, source: 'test' }
  const known = [
    { facilitator: 'acme', address: LISTED },
    { facilitator: 'other', address: `0x${'bb'.repeat(20)}` },
  ] as const
  const difference = await compareWithServices(known, [service], options)
  assert.deepEqual(requests, ['/supported'])
  assert.deepEqual(difference, {
    added: [{ ...service, address: WALLET }],
    unnamed: [known[0]],
    failed: [],
    silent: [],
  })
  const again = await compareWithServices([{ facilitator: 'acme', address: WALLET }], [service], options)
  assert.deepEqual([again.added, again.unnamed], [[], []])
})

test('services that fail or name no wallet are reported, and the others are still read', async (context) => {
  const bodies = {
    one: { body: '{"kinds":[{"x402Version":1,"scheme":"exact","network":"base"}]}' },
    two: { body: '<html>' },
    three: { status: 503, body: '' },
    four: { body: '{"kinds":[],"signers":{"solana:*":["abc"],"eip155:*":["not a wallet"]}}' },
    five: { body: supported() },
  }
  const services = await Promise.all(
    Object.entries(bodies).map(async ([facilitator, answer]) => {
      const { url } = await serveSource(context, () => answer)
      return { facilitator, url, source: 'test' }
    }),
  )
  const found = await compareWithServices([], services, options)
  assert.deepEqual(
    found.added.map(({ facilitator }) => facilitator),
    ['five'],
  )
  assert.deepEqual(new Set(found.silent.map(({ facilitator }) => facilitator)), new Set(['one', 'four']))
  assert.deepEqual(
    new Map(found.failed.map(({ facilitator, reason }) => [facilitator, reason])).get('three'),
    'the service answered 503',
  )
  assert.equal(found.failed.length, 2)
})

test('every bundled service is of a listed facilitator, by https, and once', () => {
  assert.ok(FACILITATOR_SERVICES.length > 20)
  for (const { url } of FACILITATOR_SERVICES) assert.match(url, /^https:\/\/[^/]+/)
  assert.equal(new Set(FACILITATOR_SERVICES.map(({ url }) => url)).size, FACILITATOR_SERVICES.length)
  assert.ok(knownFacilitators().size > 100)
})
