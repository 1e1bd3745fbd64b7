import assert from 'node:assert/strict'
import { PUBLISHED_AT, publishSample, storeSample } from '@tollbook/testing/report/publish-sample'
import { BUSY, laterFigures, QUIET, sampleFigures } from '@tollbook/testing/report/sample-figures'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'
import type { MerchantReport } from '@tollbook/verify/build/merchant-report'
import { loadEdition, loadReport, loadWeeks } from './stored-reports.ts'

const LATER = new Date('2026-11-15T12:10:05Z')

onEveryState(
  'every merchant of an edition is stored with its report and its figures',
  async (state, context) => {
    assert.deepEqual(await publishSample(state), { merchants: 2, written: 2, frozen: 0 })
    const stored = await loadReport(state, 'rolling', BUSY.address)
    context.assert.fileSnapshot(stored?.body, new URL('golden/report.json', import.meta.url).pathname, {
      serializers: [(body) => body],
    })
    assert.equal(stored?.amount, 9_545_678)
    // floor(1,000,000 x 7,345,678 / 9,545,678)
    assert.equal(stored?.passing_ppm, 769_529)
    const edition = await loadEdition(state, 'rolling')
    assert.equal(edition?.amount, 9_545_678 + 15_000)
    assert.equal(edition?.real_amount, 7_345_678 + 15_000)
    assert.equal(edition?.tx, 135)
  },
)

onEveryState('an unchanged report keeps its bytes and its generation time', async (state) => {
  await publishSample(state)
  const before = await loadReport(state, 'rolling', BUSY.address)
  assert.equal((await publishSample(state, sampleFigures(), LATER)).written, 0)
  assert.deepEqual(await loadReport(state, 'rolling', BUSY.address), before)
  assert.equal((await loadEdition(state, 'rolling'))?.published_at, LATER.getTime())
})

onSqliteState('only a report whose content changes is rewritten', async (state) => {
  await publishSample(state)
  const quiet = await loadReport(state, 'rolling', QUIET.address)
  const run = sampleFigures({ merchants: [{ ...BUSY, buyers: 5 }, QUIET] })
  assert.equal((await publishSample(state, run, LATER)).written, 1)
  const busy = await loadReport(state, 'rolling', BUSY.address)
  assert.equal(busy?.changed_at, LATER.getTime())
  assert.match(busy?.body ?? '', /"generated_at":"2026-11-15T12:10:05\+00:00"/)
  assert.deepEqual(await loadReport(state, 'rolling', QUIET.address), quiet)
})

onEveryState(
  'a merchant without a payment in the newest window keeps its last report, frozen and unranked',
  async (state) => {
    await publishSample(state)
    // One day of 43,200 blocks later.
    const run = laterFigures(43_200, { merchants: [BUSY] })
    assert.deepEqual(await publishSample(state, run, LATER), { merchants: 1, written: 1, frozen: 1 })
    const stored = await loadReport(state, 'rolling', QUIET.address)
    const report = JSON.parse(stored?.body ?? '') as MerchantReport
    assert.equal(report.frozen, true)
    assert.equal(report.rank_by_real_revenue, null)
    assert.equal(report.last_seen_week, '2026-11-15')
    assert.equal(stored?.end_block, sampleFigures().window.endBlock)
    assert.equal(report.tx, QUIET.tx)
    // A frozen report is not rewritten until a payment arrives.
    assert.equal((await publishSample(state, laterFigures(43_201, { merchants: [BUSY] }), LATER)).frozen, 1)
    assert.deepEqual(await loadReport(state, 'rolling', QUIET.address), stored)
    await publishSample(state, laterFigures(43_202), LATER)
    assert.equal((await loadReport(state, 'rolling', QUIET.address))?.is_frozen, 0)
  },
)

onEveryState('a published week is never rewritten', async (state) => {
  const week = sampleFigures({ edition: '2026-11-15' })
  assert.equal((await publishSample(state, week)).written, 2)
  const before = await loadReport(state, '2026-11-15', BUSY.address)
  const changed = { ...week, merchants: [{ ...BUSY, tx: 133, realTx: 12 }] }
  assert.equal((await publishSample(state, changed, LATER)).written, 0)
  assert.deepEqual(await loadReport(state, '2026-11-15', BUSY.address), before)
  assert.equal((await loadEdition(state, '2026-11-15'))?.published_at, PUBLISHED_AT.getTime())
  assert.deepEqual(await loadWeeks(state, 10), ['2026-11-15'])
})

onEveryState('concurrent publishers of one week store it once', async (state) => {
  const run = sampleFigures({ edition: '2026-11-15' })
  const published = await Promise.all([1, 2, 3].map(() => storeSample(state, run)))
  assert.deepEqual(published.map(({ written }) => written).sort(), [0, 0, 2])
})

onEveryState('an edition of thousands of merchants is published completely', async (state) => {
  const figures = Array.from({ length: 1234 }, (_, index) => ({
    ...QUIET,
    address: `0x${index.toString(16).padStart(40, '0')}` as const,
    rank: index + 1,
  }))
  assert.equal((await publishSample(state, sampleFigures({ merchants: figures }))).written, 1234)
  assert.equal((await loadReport(state, 'rolling', `0x${(1233).toString(16).padStart(40, '0')}`))?.rank, 1234)
  // Only the last of the ranks changes.
  const fewer = sampleFigures({ merchants: figures.slice(0, 1233) })
  assert.deepEqual(await publishSample(state, fewer), { merchants: 1233, written: 0, frozen: 1 })
})

onSqliteState('a window without merchants is an edition without reports', async (state) => {
  assert.deepEqual(await publishSample(state, sampleFigures({ merchants: [] })), {
    merchants: 0,
    written: 0,
    frozen: 0,
  })
  assert.equal((await loadEdition(state, 'rolling'))?.merchants, 0)
})
