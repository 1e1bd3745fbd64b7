import assert from 'node:assert/strict'
import { publishSample } from '@tollbook/testing/report/publish-sample'
import { BUSY, QUIET, sampleFigures } from '@tollbook/testing/report/sample-figures'
import { onEveryState } from '@tollbook/testing/state/every-state'
import { loadMerchantWeeks } from '../served/merchant-history.ts'
import { adoptChain } from './adopt-chain.ts'
import { loadReport, loadWeeks } from './stored-reports.ts'

const OLD = `0x${'0a'.repeat(32)}` as const
const NEW = `0x${'0b'.repeat(32)}` as const
const WEEK = '2026-11-15'

onEveryState('reports of a lost chain are hidden, and come back with it', async (state) => {
  assert.equal(await adoptChain(state, OLD), null)
  await publishSample(state)
  await publishSample(state, sampleFigures({ edition: WEEK }))
  const rolling = await loadReport(state, 'rolling', BUSY.address)
  const week = await loadReport(state, WEEK, BUSY.address)
  assert(rolling && week)
  assert.equal(await adoptChain(state, OLD), null)

  assert.equal(await adoptChain(state, NEW), OLD)
  assert.deepEqual(await loadWeeks(state, 10), [])
  assert.deepEqual(await loadMerchantWeeks(state, BUSY.address), [])
  assert.equal(await loadReport(state, 'rolling', BUSY.address), undefined)
  // The same week of the new chain is a different week.
  assert.equal((await publishSample(state, sampleFigures({ edition: WEEK, merchants: [QUIET] }))).written, 1)
  assert.equal(await loadReport(state, WEEK, BUSY.address), undefined)

  assert.equal(await adoptChain(state, OLD), NEW)
  assert.deepEqual(await loadReport(state, 'rolling', BUSY.address), rolling)
  assert.deepEqual(await loadReport(state, WEEK, BUSY.address), week)
  assert.deepEqual(await loadWeeks(state, 10), [WEEK])
})
