import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { Listing } from '@tollbook/report/listings/listing'
import { type MerchantVisits, visitMerchants } from '@tollbook/report/listings/merchant/visit-merchants'
import { replaceListings } from '@tollbook/report/listings/stored-listings'
import type { State } from '@tollbook/report/state/state'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { pino } from 'pino'
import { publishSample } from './publish-sample.ts'
import { BUSY } from './sample-figures.ts'

export const HOUR_MS = 3_600_000
export const START_MS = Date.parse('2026-11-15T12:00:00Z')
const CATALOGUE = 'https://catalogue.example'
export const TERMS = {
  scheme: 'exact',
  network: 'eip155:8453',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: BUSY.address,
  amount: '2500',
}

export type Page = {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}
type SentRequest = { readonly method: string; readonly path: string; readonly headers: IncomingHttpHeaders }

/** A merchant's host on loopback; unknown paths are 404. */
export async function serveMerchant(context: TestContext, pages: Record<string, Page>) {
  const requests: SentRequest[] = []
  const server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request
    requests.push({ method, path, headers })
    const page = pages[`${method} ${path}`] ?? pages[path] ?? { status: 404 }
    response.writeHead(page.status ?? 200, page.headers)
    response.end(typeof page.body === 'string' ? page.body : JSON.stringify(page.body ?? null))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  context.after(close)
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { origin, requests, close, paths: () => requests.map(({ method, path }) => `${method} ${path}`) }
}

/** A merchant that was paid, and a catalogue that lists resources of its host. */
export async function listInCatalogue(
  state: State,
  ...resources: readonly (string | Partial<Listing>)[]
): Promise<void> {
  await publishSample(state)
  const readAt = new Date(START_MS)
  await replaceListings(state, 'https://source.example', { listings: [], readAt })
  const told = {
    payTo: BUSY.address,
    price: 9999n,
    schemes: ['exact'],
    description: 'Catalogue.',
    operation: '',
    lastSeen: readAt,
  }
  const listings = resources
    .map((each) => (typeof each === 'string' ? { resource: each } : { resource: '', ...each }))
    .map((each) => ({ ...told, ...each, host: new URL(each.resource).host }))
  await replaceListings(state, CATALOGUE, { listings, readAt })
}

export function visit(
  state: State,
  atMs = START_MS,
  mayBePrivate = true,
  more: Partial<MerchantVisits> = {},
): Promise<number> {
  return visitMerchants({
    state,
    edition: 'rolling',
    ownSources: [],
    fetch: createSafeFetch({ allowPrivateNetwork: mayBePrivate }),
    mayBePrivate,
    pauseMs: 0,
    jitter: () => 0,
    logger: pino({ level: 'silent' }),
    now: () => new Date(atMs),
    signal: new AbortController().signal,
    ...more,
  })
}

export const challenge = (amount: string): Page => ({
  status: 402,
  headers: {
    'payment-required': Buffer.from(
      JSON.stringify({ x402Version: 2, accepts: [{ ...TERMS, amount }] }),
    ).toString('base64'),
  },
})
