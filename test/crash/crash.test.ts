import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, before, type TestContext, test } from 'node:test'
import { isExploring } from '@tollbook/testing/property'
import { startPostgres } from '@tollbook/testing/state/postgres'
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
  let killed = 0
  const onKill = () => {
    killed += 1
  }
  try {
    const series = { market, shop, seed, kills, processes, buyers: BUYERS, onKill }
    const { calls, deaths, violations } = await playSeries(series)
    t.diagnostic(`seed ${seed}: ${calls} calls, ${JSON.stringify(deaths)}`)
    assert.equal(violations.length, 0, violations.join('\n'))
    assert.ok(calls >= BUYERS)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const progress = `seed ${seed}, after ${killed} of ${kills} kills`
    throw new Error(`${progress}: ${reason}\nthe sellers' log:\n${shop.readLog()}`, { cause: error })
  } finally {
    await shop.close()
  }
}

// `npm run crash` kills 200 times.
test('a seller may be killed repeatedly: nobody is charged twice, or without an answer', (t) =>
  holds(t, { kills: 2, processes: 1 }))

if (isExploring)
  test('one of two sellers with one PostgreSQL and one key may be killed repeatedly', async (t) => {
    const { createDatabase, dropDatabase } = await startPostgres()
    const stateUrl = await createDatabase()
    await holds(t, { kills: 2, processes: 2, stateUrl })
    await dropDatabase(stateUrl)
  })
