import assert from 'node:assert/strict'
import { MERCHANT as address, clientOf } from '@tollbook/testing/report/claiming'
import { PUBLISHED_AT, storeSample } from '@tollbook/testing/report/publish-sample'
import { BUSY, sampleFigures } from '@tollbook/testing/report/sample-figures'
import { sampleService } from '@tollbook/testing/report/sample-service'
import { onEveryState } from '@tollbook/testing/state/every-state'
import { replaceListings } from '../listings/stored-listings.ts'
import type { State } from '../state/state.ts'

const SHORT = `${address.slice(0, 6)}…${address.slice(-4)}`
const CATALOGUES = ['https://one.example/x402', 'https://two.example/x402'] as const
const RUN = sampleFigures({ merchants: [{ ...BUSY, address }] })

async function list(state: State, source: string): Promise<void> {
  const listing = {
    resource: 'https://scam.example/steal',
    host: 'scam.example',
    payTo: address,
    price: 10_000n,
    schemes: ['exact'],
    description: 'Weather.',
    operation: 'GET',
    lastSeen: PUBLISHED_AT,
  }
  await replaceListings(state, source, { listings: [listing], readAt: PUBLISHED_AT })
}

/** Publishes the current listings and claims, and reads the public pages. */
async function publishAndRead(state: State, run = RUN) {
  await storeSample(state, run)
  const { app } = sampleService(state)
  const read = async (path: string, accept = 'text/html') =>
    (await app.request(path, { headers: { accept } })).text()
  const page = await read(`/merchants/base/${address}`)
  const inRow = (html: string) => /<th scope="row"><a [^>]*>([^<]*)<\/a>/.exec(html)?.[1]
  const { name } = JSON.parse(await read(`/merchants/base/${address}.json`)) as { name: string }
  const ranking = JSON.parse(await read('/merchants.json')) as { merchants: { name_confirmed: boolean }[] }
  return {
    ranking: inRow(await read('/')),
    search: inRow(await read('/search?q=scam.example')),
    heading: /<h1>([^<]*)<\/h1>/.exec(page)?.[1],
    title: /<meta property="og:title" content="([^:]*):/.exec(page)?.[1],
    sentence: /<p class="lead claim">(\S+) received/.exec(page)?.[1],
    description: /<meta name="description" content="(\S+) received/.exec(page)?.[1],
    badge: /alt="x402 payments of ([^"]*)"/.exec(page)?.[1],
    name,
    isConfirmed: ranking.merchants[0]?.name_confirmed,
  }
}

const ADDRESSED = {
  ranking: SHORT,
  search: SHORT,
  heading: SHORT,
  title: SHORT,
  sentence: address,
  description: address,
  badge: address,
  // The host name of the merchant, as listings have it: specification 2.1.
  name: 'scam.example',
  isConfirmed: false,
}
const NAMED = {
  ranking: 'scam.example',
  search: 'scam.example',
  heading: 'scam.example',
  title: 'scam.example',
  sentence: 'scam.example',
  description: 'scam.example',
  badge: 'scam.example',
  name: 'scam.example',
  isConfirmed: true,
}

onEveryState('a name from one catalogue never replaces the address of a wallet', async (state) => {
  await list(state, CATALOGUES[0])
  assert.deepEqual(await publishAndRead(state), ADDRESSED)
  const { app } = sampleService(state)
  const page = await (await app.request(`/merchants/base/${address}`)).text()
  assert.match(page, /<strong>scam\.example<\/strong>.* not confirmed/)
  assert.match(await (await app.request('/')).text(), /scam\.example \(unconfirmed\)/)
})

onEveryState('a host that repeats what a catalogue lists for it does not confirm its name', async (state) => {
  await list(state, CATALOGUES[0])
  await list(state, 'https://scam.example/openapi.json')
  await list(state, 'https://scam.example')
  await list(state, 'https://www.scam.example/.well-known/x402')
  assert.deepEqual(await publishAndRead(state), ADDRESSED)
})

onEveryState('two addresses of one catalogue are one source of a name', async (state) => {
  await list(state, CATALOGUES[0])
  await list(state, 'https://one.example/v2')
  assert.deepEqual(await publishAndRead(state), ADDRESSED)
})

onEveryState('a second catalogue confirms a name, until it no longer lists the host', async (state) => {
  await list(state, CATALOGUES[0])
  assert.deepEqual(await publishAndRead(state), ADDRESSED)
  await list(state, CATALOGUES[1])
  assert.deepEqual(await publishAndRead(state), NAMED)
  await replaceListings(state, CATALOGUES[1], { listings: [], readAt: PUBLISHED_AT })
  assert.deepEqual(await publishAndRead(state), ADDRESSED)
})

onEveryState("the operator's own service confirms the names that it lists", async (state) => {
  await list(state, 'https://source.example')
  assert.deepEqual(await publishAndRead(state), NAMED)
})

onEveryState("a wallet's claim confirms its name, even while it is not paid", async (state) => {
  await list(state, CATALOGUES[0])
  await publishAndRead(state)
  const { claim } = clientOf(sampleService(state).app)
  assert.equal((await claim()).status, 201)
  assert.deepEqual(await publishAndRead(state), NAMED)
  assert.equal((await claim({ action: 'withdraw' })).status, 201)
  assert.deepEqual(await publishAndRead(state), ADDRESSED)
  assert.equal((await claim()).status, 201)
  const unpaid = await publishAndRead(state, sampleFigures({ merchants: [] }))
  assert.deepEqual([unpaid.heading, unpaid.search], ['scam.example', 'scam.example'])
})

onEveryState('a feed shows the address of a merchant whose name is not confirmed', async (state) => {
  await list(state, CATALOGUES[0])
  const run = { ...RUN, edition: '2026-11-15' }
  await storeSample(state, run)
  const { app } = sampleService(state)
  const feed = await (await app.request(`/merchants/base/${address}/feed.atom`)).text()
  assert.match(feed, new RegExp(`<title>x402 payments to ${address}</title>`))
})
