import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { isExploring } from '../property.ts'
import { fuzzFacilitator } from './fuzz-facilitator.ts'

// `npm run fuzz` sends 2,000.
test('requests with faults neither break the facilitator nor move money that no answer reports', async () => {
  const { settled, violations } = await fuzzFacilitator(60, isExploring ? randomInt(1_000_000) : 20_261_123)
  assert.deepEqual(violations, [])
  assert.ok(settled > 0, 'none of the faults is in a member that settling ignores')
})
