import assert from 'node:assert/strict'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { item, PAYEE, pagesOf, serveSource } from '@tollbook/testing/report/discovery-source'
import { onEveryState } from '@tollbook/testing/state/every-state'
import { pino } from 'pino'
import { listingsByPayTo } from '../listings/stored-listings.ts'
import { collectAllListings, visitPaidMerchants } from './read-listings.ts'

const DAY_MS = 86_400_000
const START_MS = Date.parse('2026-11-15T12:00:00Z')
const OTHER = '0x00000000000000000000000000000000000000b2'

onEveryState(
  'own services and catalogues are read; unseen listings are deleted after two weeks',
  async (state, context) => {
    const { signal } = new AbortController()
    const own = await serveSource(context, pagesOf([item('/own')], 10))
    let isUp = true
    const catalogue = await serveSource(context, (limit, offset) =>
      isUp ? pagesOf([item('/theirs', { payTo: OTHER })], 10)(limit, offset) : { status: 500, body: '' },
    )
    const fetch = createSafeFetch({ allowPrivateNetwork: true })
    const collect = async (days: number) => {
      const reading = {
        state,
        fetch,
        logger: pino({ level: 'silent' }),
        listingSources: [own.url],
        outside: { catalogues: [catalogue.url], fetch, visitsMerchants: false, checksHealth: true },
        now: () => new Date(START_MS + days * DAY_MS),
      }
      await collectAllListings(reading, signal)
      await visitPaidMerchants(reading, signal)
      return [...(await listingsByPayTo(state)).keys()].sort()
    }
    assert.deepEqual(await collect(0), [PAYEE, OTHER])
    isUp = false
    assert.deepEqual(await collect(14), [PAYEE, OTHER])
    assert.deepEqual(await collect(14.01), [PAYEE])
  },
)
