import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import { SHOP } from '@tollbook/testing/report/paid-week'
import { type PublishedWeek, publishPaidWeek } from '@tollbook/testing/report/published-week'
import { runProduct as run } from '@tollbook/testing/report/run-product'
import { parseInputs, parsePublishedReport } from './published/published-report.ts'
import { verifyReport } from './verify-report.ts'

let week: PublishedWeek

before(async () => {
  week = await publishPaidWeek()
})
after(() => week.close())

test('windows of other lengths are screened like the seven days, and are verified', async () => {
  const at = `${week.url}/merchants/base/${SHOP}`
  // The shop returned account 2 more than half of its payments three days before the window of one day.
  const read = async (days: number) => {
    const response = await fetch(`${at}.json?days=${days}`)
    return JSON.parse(await response.text())
  }
  const day = await read(1)

  const { tx, usd, real_usd, flags, claim: sentence } = day
  assert.deepEqual(
    { tx, usd, real_usd, flags },
    { tx: 2, usd: 0.1, real_usd: 0.06, flags: { round_trip: { tx: 1, usd: 0.04 } } },
  )
  assert.match(sentence, / in the day to /)
  assert.deepEqual([day.window.days, day.window.end_block - day.window.start_block], [1, 43_200])
  const [longer, month] = [await read(14), await read(30)]
  assert.deepEqual([longer.window.days, longer.window.complete, longer.usd], [14, true, 7.18])
  // It begins before the chain.
  assert.deepEqual([month.window.days, month.window.complete, month.rank_by_real_revenue], [30, false, null])
  for (const days of [1, 14, 30]) {
    const { code, stdout, stderr } = await run([
      'verify',
      `${at}?days=${days}`,
      '--rpc',
      week.chain.rpcUrl,
      '--ranking',
    ])
    assert.equal(code, 0, stderr + stdout)
    assert.match(stdout, /0 differ, /)
  }
  const combined = await fetch(`${at}.json?days=14&week=${week.week}`)
  assert.equal(combined.status, 400)
})

test('the overview adds up the payments of all merchants by day and by facilitator', async () => {
  const { weeks, days, newest } = JSON.parse(await (await fetch(`${week.url}/overview.json`)).text())
  const { facilitators, ...sums } = weeks.at(-1)
  // The shop's 7.08, of which 3.45 pass, and the bar's 0.14; accounts 0 to 4, 6 and 9, of which 2, 6 and 9 are flagged.
  assert.deepEqual(sums, {
    week: week.week,
    revision: 1,
    merchants: 2,
    tx: 140,
    usd: 7.22,
    real_tx: 14,
    real_usd: 3.59,
    buyers: 7,
    real_buyers: 4,
  })
  assert.deepEqual(
    facilitators.map((each: { tx: number; usd: number }) => [each.tx, each.usd]),
    [
      [138, 6.47],
      [2, 0.75],
    ],
  )
  // The newest window begins a second into the week, and has two payments more.
  assert.deepEqual([newest.tx, newest.usd], [142, 7.32])
  assert.equal(
    days.reduce((sum: number, { tx }: { tx: number }) => sum + tx, 0),
    142,
  )
  const page = await (await fetch(`${week.url}/overview`)).text()
  assert.match(
    page,
    /<svg class="chart"[^>]* aria-label="Dollars per week: reported, and passing every screen">/,
  )
})

test('a window that its publisher has not read to its end has no rank, which is not wrong', async () => {
  const at = `${week.url}/merchants/base/${SHOP}`
  const read = async (path: string) => JSON.parse(await (await fetch(`${at}${path}?days=14`)).text())
  const report = await read('.json')
  const reading = { ...report, window: { ...report.window, complete: false }, rank_by_real_revenue: null }
  const { checks } = await verifyReport(
    {
      report: parsePublishedReport(reading),
      inputs: parseInputs(await read('/inputs.json')),
      evidence: undefined,
      claim: undefined,
      rpc: createReadRpc({ url: week.chain.rpcUrl }),
      now: new Date(),
    },
    new AbortController().signal,
  )
  const open = checks.filter(({ verdict }) => verdict === 'not_checked').map(({ field }) => field)
  assert(open.includes('rank_by_real_revenue') && open.includes('window.complete'), open.join())
})
