import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, before, type TestContext, test } from 'node:test'
import { startPostgres, whyNoPostgres } from '../state/postgres.ts'
import { type Market, openMarket } from './market.ts'
import { playSeries } from './series.ts'
import { openShop } from './shop.ts'

const BUYERS = 6

let market: Market
before(async () => {
  market = await openMarket(BUYERS)
})
after(() => market?.close())

async function holds(
  t: TestContext,
  { kills, processes, stateUrl }: { kills: number; processes: 1 | 2; stateUrl?: string },
): Promise<void> {
  const seed = randomInt(1_000_000)
  const shop = await openShop(market, stateUrl)
  try {
    const { calls, deaths, violations } = await playSeries({
      market,
      shop,
      seed,
      kills,
      processes,
      buyers: BUYERS,
    })
    t.diagnostic(`seed ${seed}: ${calls} calls, ${JSON.stringify(deaths)}`)
    assert.deepEqual(violations, [])
    assert.ok(calls >= BUYERS)
  } finally {
    await shop.close()
  }
}

test('a seller may be killed 20 times: nobody is charged twice, or without an answer', (t) =>
  holds(t, { kills: 20, processes: 1 }))

test('so may one of two sellers with one PostgreSQL and one key', {
  skip: whyNoPostgres() ?? false,
}, async (t) => {
  const { createDatabase, dropDatabase } = await startPostgres()
  const stateUrl = await createDatabase()
  await holds(t, { kills: 10, processes: 2, stateUrl })
  await dropDatabase(stateUrl)
})
