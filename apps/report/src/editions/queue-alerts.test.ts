import assert from 'node:assert/strict'
import { publishSample } from '@tollbook/testing/report/publish-sample'
import { BUSY, laterFigures, QUIET, sampleFigures } from '@tollbook/testing/report/sample-figures'
import { storeClaim } from '@tollbook/testing/report/store-claim'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'
import { createWebhook, type WebhookWish } from '../claims/alerts/webhooks.ts'
import { recordHealth } from '../listings/endpoint-health.ts'
import type { State } from '../state/state.ts'

const WEEK = '2026-11-15'
const NEXT_WEEK = '2026-11-22'
const ALL: Omit<WebhookWish, 'url'> = {
  events: ['flag.new', 'endpoint.unhealthy', 'rank.changed', 'revenue.dropped'],
  rankPlaces: 1,
  dropPercent: 50,
}

async function watch(state: State, wish: Partial<WebhookWish> = {}, address = BUSY.address) {
  await storeClaim(state, { address })
  await createWebhook(state, { ...ALL, url: 'https://shop.example/', address, ...wish }, new Date(0))
}

/** What was queued since the last call. */
async function takeQueued(state: State) {
  const rows = await state.db
    .selectFrom('alert_delivery')
    .select(['event', 'body'])
    .orderBy('event')
    .execute()
  await state.db.deleteFrom('alert_delivery').execute()
  return rows.map(({ event, body }) => ({ event, data: JSON.parse(body).data }))
}

const withFlags = (...flags: (typeof BUSY.flags)[number][]) => ({ merchants: [{ ...BUSY, flags }, QUIET] })
const [SELF_PAY, TINY] = BUSY.flags
assert(SELF_PAY && TINY)

onEveryState('a new kind of flag in the rolling report is an alert, once a day', async (state) => {
  await watch(state)
  await publishSample(state, sampleFigures(withFlags(TINY)))
  await takeQueued(state)
  await publishSample(state, laterFigures(300, withFlags(TINY, SELF_PAY)))
  const [alert, ...more] = await takeQueued(state)
  assert.deepEqual([alert?.event, alert?.data.flag, alert?.data.usd, more], ['flag.new', 'self_pay', 1, []])
  assert.equal(alert?.data.address, BUSY.address)
  await publishSample(state, laterFigures(600, withFlags(TINY, SELF_PAY)))
  assert.deepEqual(await takeQueued(state), [])
})

onEveryState('a flag that comes and goes within a day is one alert', async (state) => {
  await watch(state)
  for (const [blocks, run] of [withFlags(), withFlags(TINY), withFlags(), withFlags(TINY)].entries())
    await publishSample(state, laterFigures(blocks, run))
  assert.equal((await takeQueued(state)).length, 1)
})

onEveryState('an endpoint that can no longer be paid is an alert', async (state) => {
  const resource = 'https://api.weather.example/v1/forecast'
  const check = (health: 'payable' | 'price_differs' | 'no_402', hour: number) =>
    recordHealth(
      state,
      [{ resource, payTo: BUSY.address, state: health }],
      new Date(Date.UTC(2026, 10, 15, hour)),
    )
  await check('payable', 1)
  await publishSample(state)
  await watch(state)
  await check('price_differs', 2)
  await publishSample(state, laterFigures(1))
  assert.deepEqual(
    (await takeQueued(state)).map(({ event, data }) => [event, data.count, data.endpoints]),
    [['endpoint.unhealthy', 1, [{ resource, state: 'price_differs', since: '2026-11-15T02:00:00+00:00' }]]],
  )
  // Another reason is no news.
  await check('no_402', 3)
  await publishSample(state, laterFigures(2))
  assert.deepEqual(await takeQueued(state), [])
})

const nextWeek = (change: Parameters<typeof sampleFigures>[0]) =>
  laterFigures(302_400, { edition: NEXT_WEEK, ...change })
const AFTER = new Date('2026-11-22T12:00:05Z')

onEveryState('a change of rank and a fall of revenue between two weeks are alerts', async (state) => {
  await publishSample(state, sampleFigures({ edition: WEEK }))
  await watch(state)
  await watch(state, { events: ['rank.changed'], rankPlaces: 2 }, QUIET.address)
  // 7.345678 dollars fall to 3.672839, the very half.
  const fallen = { ...BUSY, rank: 2, realAmount: 3_672_839n }
  await publishSample(state, nextWeek({ merchants: [{ ...QUIET, rank: 1 }, fallen] }), AFTER)
  const report = `https://tollbook.example/merchants/base/${BUSY.address}.json?week=${NEXT_WEEK}&revision=1`
  const common = { address: BUSY.address, report, week: NEXT_WEEK }
  assert.deepEqual(await takeQueued(state), [
    { event: 'rank.changed', data: { ...common, rank_before: 1, rank: 2 } },
    { event: 'revenue.dropped', data: { ...common, real_usd_before: 7.35, real_usd: 3.67 } },
  ])
})

onSqliteState('a merchant without a payment in the week has lost its rank and its revenue', async (state) => {
  await publishSample(state, sampleFigures({ edition: WEEK }))
  await watch(state, { rankPlaces: 10_000, dropPercent: 100 })
  await publishSample(state, nextWeek({ merchants: [QUIET] }), AFTER)
  assert.deepEqual(
    (await takeQueued(state)).map(({ event, data }) => [event, data.rank, data.real_usd]),
    [
      ['rank.changed', null, undefined],
      ['revenue.dropped', undefined, 0],
    ],
  )
})

onSqliteState('smaller changes, unwanted events and weeks of long ago are no alerts', async (state) => {
  await publishSample(state, sampleFigures({ edition: WEEK }))
  await watch(state, { rankPlaces: 2 })
  await watch(state, { events: ['flag.new'] })
  // A micro-dollar above the half.
  const figures = [
    { ...QUIET, rank: 1 },
    { ...BUSY, rank: 2, realAmount: 3_672_840n },
  ]
  await publishSample(state, nextWeek({ merchants: figures }), AFTER)
  assert.deepEqual(await takeQueued(state), [])
  await state.db.deleteFrom('report_editions').where('edition', '=', NEXT_WEEK).execute()
  await state.db.deleteFrom('reports').where('edition', '=', NEXT_WEEK).execute()
  await state.db.deleteFrom('report_texts').where('edition', '=', NEXT_WEEK).execute()
  await publishSample(state, nextWeek({ merchants: [QUIET] }), new Date('2026-11-30T00:00:00Z'))
  assert.deepEqual(await takeQueued(state), [])
})

onEveryState('a publication that fails queues nothing', async (state) => {
  await publishSample(state, sampleFigures(withFlags()))
  await watch(state)
  // The same merchant twice violates the key of the table, after the alerts are queued.
  const flagged = { ...BUSY, tx: 7 }
  await assert.rejects(publishSample(state, laterFigures(1, { merchants: [flagged, flagged] })))
  assert.deepEqual(await takeQueued(state), [])
  await publishSample(state, laterFigures(1))
  assert.equal((await takeQueued(state)).length, 2)
})
