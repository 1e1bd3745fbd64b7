import assert from 'node:assert/strict'
import { publishSample } from '@tollbook/testing/report/publish-sample'
import { BUSY, laterFigures, QUIET } from '@tollbook/testing/report/sample-figures'
import { sampleService } from '@tollbook/testing/report/sample-service'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'
import type { State } from '../../state/state.ts'
import { BADGE_STYLES } from './badge.ts'

const BADGE = `/merchants/base/${BUSY.address}/badge`

async function open(state: State) {
  await publishSample(state)
  return sampleService(state).app
}

onEveryState('a badge shows the requested figure, always with the reported one', async (state) => {
  const app = await open(state)
  // 7.35 of 9.55 is 77%, 11 of 132 payments 8%, 2 of 4 buyers 50%.
  for (const [metric, message] of [
    ['', '$7.35 real, 77% of reported'],
    ['real_usd', '$7.35 real, 77% of reported'],
    ['real_tx', '11 real payments, 8% of reported'],
    ['real_buyers', '2 real buyers, 50% of reported'],
    ['pass_share', '77% of $9.55 passes every screen'],
    ['rank', '#1 by real revenue'],
  ]) {
    const svg = await (await app.request(`${BADGE}.svg?metric=${metric}`)).text()
    assert.ok(svg.includes(`>${message}<`), metric)
    assert.deepEqual(await (await app.request(`${BADGE}.json?metric=${metric}`)).json(), {
      schemaVersion: 1,
      label: 'x402, 7 days',
      message,
      color: '#0b6e5b',
      cacheSeconds: 300,
    })
  }
})

onSqliteState('a badge is available in every style, each with its own validator', async (state) => {
  const app = await open(state)
  const tags = new Set<string | null>()
  for (const style of BADGE_STYLES) {
    const badge = await app.request(`${BADGE}.svg?style=${style}`)
    assert.equal(badge.headers.get('content-type'), 'image/svg+xml; charset=utf-8')
    assert.match(await badge.text(), /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/)
    tags.add(badge.headers.get('etag'))
  }
  assert.equal(tags.size, BADGE_STYLES.length)
  for (const query of ['style=round', 'metric=usd']) {
    assert.equal((await app.request(`${BADGE}.svg?${query}`)).status, 400, query)
  }
})

onSqliteState('request parameters cannot change the text of a badge', async (state) => {
  const app = await open(state)
  const plain = await (await app.request(`${BADGE}.svg`)).text()
  assert.equal(await (await app.request(`${BADGE}.svg?label=audited&message=safe&color=red`)).text(), plain)
})

onEveryState(
  'the badge of a merchant that is no longer paid shows the date of its last week, in grey',
  async (state) => {
    const app = await open(state)
    await publishSample(state, laterFigures(43_200, { merchants: [BUSY] }))
    const badge = await app.request(`/merchants/base/${QUIET.address}/badge.json?metric=rank`)
    const { label, message, color } = (await badge.json()) as Record<string, string>
    assert.deepEqual([label, message, color], ['x402, 7 days to 2026-11-15', 'no rank', '#6b6b6b'])
  },
)
