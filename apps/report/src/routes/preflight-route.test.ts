import assert from 'node:assert/strict'
import { publishSample } from '@tollbook/testing/report/publish-sample'
import { BUSY, QUIET } from '@tollbook/testing/report/sample-figures'
import { sampleService } from '@tollbook/testing/report/sample-service'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'
import type { HealthState } from '@tollbook/verify/listings/health'
import { recordHealth } from '../listings/endpoint-health.ts'
import type { State } from '../state/state.ts'

const NOW = 'https://api.weather.example/v1/forecast'
const STRANGER = `0x${'9'.repeat(40)}` as const

type Preflight = {
  readonly merchant: Readonly<Record<string, unknown>> | null
  readonly notes: readonly { readonly code: string; readonly text: string }[]
  readonly listings: readonly unknown[]
}

async function ask(state: State, query: Readonly<Record<string, string>>): Promise<Preflight> {
  const { app } = sampleService(state)
  const response = await app.request(`/preflight?${new URLSearchParams(query)}`)
  assert.equal(response.status, 200)
  return (await response.json()) as Preflight
}

const codesOf = ({ notes }: Preflight) => notes.map(({ code }) => code)

onEveryState('terms that match the listing of a paid merchant have no notes', async (state) => {
  await publishSample(state)
  const answer = await ask(state, {
    payTo: BUSY.address.toUpperCase().replace('0X', '0x'),
    resource: NOW,
    amount: '500000',
  })
  assert.deepEqual(codesOf(answer), [])
  // 9.545678 reported, 7.345678 real, 5.00 of them from one wallet.
  assert.deepEqual(
    [answer.merchant?.usd, answer.merchant?.real_usd, answer.merchant?.buyers, answer.merchant?.real_buyers],
    [9.55, 7.35, 4, 2],
  )
  assert.deepEqual(answer.listings, [{ pay_to: BUSY.address, price_usd: 0.5, health: null }])
})

onSqliteState(
  'an endpoint that could not be paid when it was last checked is noted, with since when',
  async (state) => {
    await publishSample(state)
    const check = (health: HealthState, at: string) =>
      recordHealth(state, [{ resource: NOW, payTo: BUSY.address, state: health }], new Date(at))
    await check('price_differs', '2026-11-14T08:00:00Z')
    await check('price_differs', '2026-11-15T08:30:00Z')
    const unhealthy = await ask(state, { payTo: BUSY.address, resource: NOW })
    assert.deepEqual(codesOf(unhealthy), ['unhealthy_endpoint'])
    const health = { state: 'price_differs', since: '2026-11-14T08:00:00+00:00' }
    assert.deepEqual(unhealthy.listings, [{ pay_to: BUSY.address, price_usd: 0.5, health }])
    await check('payable', '2026-11-16T08:00:00Z')
    assert.deepEqual(codesOf(await ask(state, { payTo: BUSY.address, resource: NOW })), [])
  },
)

onSqliteState('what is unusual about terms is noted', async (state) => {
  await publishSample(state)
  const noted = async (query: Readonly<Record<string, string>>) => codesOf(await ask(state, query))
  assert.deepEqual(await noted({ payTo: STRANGER }), ['unknown_wallet'])
  assert.deepEqual(await noted({ payTo: STRANGER, resource: NOW }), ['unknown_wallet', 'other_payee'])
  assert.deepEqual(await noted({ payTo: BUSY.address, resource: NOW, amount: '500001' }), [
    'price_above_listing',
  ])
  assert.deepEqual(await noted({ payTo: BUSY.address, resource: `${NOW}/other` }), ['not_listed'])
  // All of its three payments are from one wallet.
  assert.deepEqual(await noted({ payTo: QUIET.address }), ['one_buyer'])
})

onSqliteState('terms that are no terms are a 400 with the parameter', async (state) => {
  const { app } = sampleService(state)
  for (const [query, parameter] of [
    ['payTo=0x12', 'payTo'],
    ['', 'payTo'],
    [`payTo=${STRANGER}&amount=0.5`, 'amount'],
    [`payTo=${STRANGER}&resource=weather`, 'resource'],
  ]) {
    const response = await app.request(`/preflight?${query}`)
    assert.equal(response.status, 400)
    assert.match(await response.text(), new RegExp(`"parameter":\\s*"${parameter}"`))
  }
})
