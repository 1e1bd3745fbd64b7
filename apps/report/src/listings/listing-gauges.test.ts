import assert from 'node:assert/strict'
import { onEveryState } from '@tollbook/testing/state/every-state'
import { Registry } from 'prom-client'
import { recordHealth } from './endpoint-health.ts'
import { registerListingGauges } from './listing-gauges.ts'
import { noteFailedVisit, noteVisit } from './merchant/merchant-hosts.ts'
import { noteFailure, replaceListings } from './stored-listings.ts'

const AT = new Date('2026-11-15T12:00:00Z')

onEveryState('listings, sources and hosts are counted, failing ones separately', async (state) => {
  const listing = {
    resource: 'https://a.example/',
    host: 'a.example',
    payTo: '0x00000000000000000000000000000000000000a1',
    price: 1n,
    schemes: ['exact'],
    description: '',
    operation: '',
    lastSeen: AT,
  } as const
  await replaceListings(state, 'https://one.example', { listings: [listing], readAt: AT })
  await noteFailure(state, 'https://two.example', { reason: 'down', at: AT })
  await noteVisit(state, 'https://a.example', { at: AT, isComplete: true, jitter: 0 })
  await noteFailedVisit(state, 'https://b.example', { at: AT, restMs: 0 })
  const { resource, payTo } = listing
  await recordHealth(state, [{ resource, payTo, state: 'expired' }], AT)
  const registry = new Registry()
  registerListingGauges(registry, state)
  const lines = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  assert.deepEqual(lines, [
    'tollbook_report_endpoint_health{state="expired"} 1',
    'tollbook_report_listings 1',
    'tollbook_report_listing_sources{outcome="read"} 1',
    'tollbook_report_listing_sources{outcome="failed"} 1',
    'tollbook_report_listing_hosts{outcome="visited"} 1',
    'tollbook_report_listing_hosts{outcome="failed"} 1',
  ])
})
