import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, before, type TestContext, test } from 'node:test'
import { isExploring } from '@tollbook/testing/property'
import { startPostgres, whyNoPostgres } from '@tollbook/testing/state/postgres'
import { killFacilitators } from './facilitator-series.ts'
import { killServices } from './kill-services.ts'
import { type Market, openMarket } from './market.ts'

let market: Market
before(async () => {
  market = await openMarket(6)
})
after(() => market?.close())

async function holds(
  t: TestContext,
  series: { kills: number; processes: number; stateUrl?: string },
): Promise<void> {
  const seed = randomInt(1_000_000)
  const { payments, operations, requests, violations } = await killFacilitators({ ...series, market, seed })
  t.diagnostic(`seed ${seed}: ${payments} payments, ${operations} of channels, ${requests} requests`)
  assert.deepEqual(violations, [], `seed ${seed}`)
  assert.ok(payments > series.kills)
}

// `npm run crash -- --facilitator` kills 200 times.
if (isExploring)
  test('a facilitator may be killed repeatedly: every settlement happens once, and is answered', (t) =>
    holds(t, { kills: 4, processes: 1 }))

test('each of three facilitators with one PostgreSQL and one key may be killed repeatedly', {
  skip: whyNoPostgres() ?? false,
}, async (t) => {
  const { createDatabase, dropDatabase } = await startPostgres()
  const stateUrl = await createDatabase()
  await holds(t, { kills: 1, processes: 3, stateUrl })
  await dropDatabase(stateUrl)
})

if (isExploring)
  test('two sellers and three facilitators with one PostgreSQL, killed in turn, keep the same books as chain and clients', async (t) => {
    const { createDatabase, dropDatabase } = await startPostgres()
    const stateUrl = await createDatabase()
    const { calls } = await killServices({ market, stateUrl, seed: randomInt(1_000_000), kills: 5 })
    t.diagnostic(`${calls} calls`)
    await dropDatabase(stateUrl)
  })
