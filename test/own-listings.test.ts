import assert from 'node:assert/strict'
import { buildListing, type ListingRecord } from '@tollbook/endpoints/documents/listing'
import { groupSamePrice } from '@tollbook/endpoints/documents/variants'
import type { Service } from '@tollbook/endpoints/service'
import { createServiceApp } from '@tollbook/endpoints/serving/router'
import type { Gate } from '@tollbook/gate/contract/exchange'
import { createRateLimiter } from '@tollbook/http/request/rate-limit'
import { listen } from '@tollbook/http/server/serve'
import { collectListings } from '@tollbook/report/listings/collect'
import { readOpenApi } from '@tollbook/report/listings/merchant/openapi-document'
import { readWellKnown } from '@tollbook/report/listings/merchant/well-known'
import { listingsByPayTo } from '@tollbook/report/listings/stored-listings'
import { loadConfig } from '@tollbook/runtime/config'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { testSeller } from '@tollbook/testing/catalogue/test-app'
import { onSqliteState } from '@tollbook/testing/state/every-state'
import { toListingRecords } from '@tollbook/verify/listings/merchant-listings'
import { createWorkerPool } from '@tollbook/workers/pool'
import { pino } from 'pino'
import { openServiceOf, PAID_SERVICES } from './open-service-of.ts'

const READ_AT = new Date('2026-11-15T12:00:00Z')
const logger = pino({ level: 'silent' })
const fetchLocal = createSafeFetch({ allowPrivateNetwork: true })
/** Nothing here is called, so nothing has to be paid. */
const gate: Gate = { serve: () => Promise.reject(new Error('nobody calls')) }

/** With a facilitator that settles by `upto`, too. */
const seller = { ...testSeller, facilitatorAddress: testSeller.payTo }

/** A service as it is sold, served on loopback. */
async function serve(service: Service) {
  const limiter = createRateLimiter(1000)
  const app = createServiceApp({ service, gate, seller, logger, limiter })
  return listen({ app, host: '127.0.0.1', port: 0, logger })
}

/** The paid endpoints without parameters in their path, each URL once with its lowest price, in one order. */
function toReported(records: readonly ListingRecord[]): readonly ListingRecord[] {
  const cheapest = new Map<string, ListingRecord>()
  const paid = records.filter(({ price_usd, resource }) => price_usd > 0 && !resource.includes('/:'))
  for (const record of paid.toSorted((a, b) => a.price_usd - b.price_usd))
    if (!cheapest.has(record.resource)) cheapest.set(record.resource, record)
  return inOrder([...cheapest.values()])
}

/** Descriptions differ between the methods of one URL at one price. */
function inOrder(records: readonly ListingRecord[]): readonly ListingRecord[] {
  return records
    .map(({ resource, price_usd }) => ({ resource, price_usd, description: '' }))
    .sort((a, b) => a.price_usd - b.price_usd || a.resource.localeCompare(b.resource))
}

for (const name of PAID_SERVICES) {
  onSqliteState(
    `every endpoint of the ${name} service is listed as its catalogue has it`,
    async (state, context) => {
      const created = await openServiceOf(name, {
        config: loadConfig({}),
        workers: createWorkerPool({ deadlineScale: 100 }),
        baseUrl: `https://${name}.example`,
        state,
        logger,
      })
      // As if everything were configured.
      const endpoints = created.endpoints.map(({ availability: _, ...endpoint }) => endpoint)
      const service = { ...created, endpoints }
      const listening = await serve(service)
      context.after(() => listening.close())
      const expected = buildListing(service)
      assert.ok(expected.length > 0)

      await collectListings({
        state,
        sources: [listening.url],
        fetch: fetchLocal,
        logger,
        now: () => READ_AT,
        signal: new AbortController().signal,
      })
      const stored = (await listingsByPayTo(state)).get(testSeller.payTo) ?? []
      assert.deepEqual(inOrder(toListingRecords(stored)), toReported(expected))

      // The documents for readers without discovery routes list the same paid endpoints, OpenAPI with one path for each price.
      const read = async (path: string) => (await fetch(listening.url + path)).json()
      const paid = expected.filter(({ price_usd }) => price_usd > 0)
      const stated = readOpenApi(await read('/openapi.json'), `${service.baseUrl}/openapi.json`, READ_AT)
      const grouped = groupSamePrice(endpoints).map(({ endpoint }) => endpoint)
      assert.deepEqual(
        inOrder(toListingRecords(stated.listings)),
        toReported(buildListing({ ...service, endpoints: grouped })),
      )
      assert.deepEqual(stated.candidates, [])
      const wellKnown = readWellKnown(await read('/.well-known/x402'), `${service.baseUrl}/x`, READ_AT)
      assert.deepEqual(
        wellKnown.candidates.map(({ resource }) => resource).sort(),
        [...new Set(paid.map(({ resource }) => resource))].sort(),
      )
    },
  )
}
