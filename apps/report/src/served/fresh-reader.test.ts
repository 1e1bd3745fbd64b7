import assert from 'node:assert/strict'
import { publishSample } from '@tollbook/testing/report/publish-sample'
import { BUSY, laterFigures, sampleFigures } from '@tollbook/testing/report/sample-figures'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'
import { createFreshReader } from './fresh-reader.ts'

const HOUR_MS = 3_600_000
const firstEnd = sampleFigures().window.endBlock

onSqliteState('an answer is cached for its lifetime and no longer', async (state) => {
  await publishSample(state)
  const patient = createFreshReader(state, HOUR_MS)
  const strict = createFreshReader(state, 0)
  for (const reader of [patient, strict]) {
    assert.equal((await reader.report('rolling', BUSY.address))?.end_block, firstEnd)
    assert.equal((await reader.edition('rolling'))?.end_block, firstEnd)
  }
  await publishSample(state, laterFigures(30))
  assert.equal((await patient.report('rolling', BUSY.address))?.end_block, firstEnd)
  assert.equal((await patient.edition('rolling'))?.end_block, firstEnd)
  assert.equal((await strict.report('rolling', BUSY.address))?.end_block, firstEnd + 30)
  assert.equal((await strict.edition('rolling'))?.end_block, firstEnd + 30)
})

onEveryState('a missing report is found as soon as it is published', async (state) => {
  const reader = createFreshReader(state, HOUR_MS)
  assert.equal(await reader.report('rolling', BUSY.address), undefined)
  assert.equal(await reader.edition('rolling'), undefined)
  await publishSample(state)
  assert.equal((await reader.report('rolling', BUSY.address))?.tx, 132)
  assert.equal((await reader.edition('rolling'))?.tx, 135)
})
