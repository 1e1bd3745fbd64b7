import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { isExploring } from '@tollbook/testing/property'
import { fuzzChannels } from './fuzz-channels.ts'
import { fuzzFacilitator } from './fuzz-facilitator.ts'

const seed = isExploring ? randomInt(1_000_000) : 20_261_123

// `npm run fuzz` sends 2,000.
test('requests with faults neither break the facilitator nor move money that no answer reports', async () => {
  const { settled, violations } = await fuzzFacilitator(60, seed)
  assert.deepEqual(violations, [])
  assert.ok(settled > 0, 'none of the faults is in a member that settling ignores')
})

test('requests about channels with faults neither break the facilitator nor send a transaction that no answer reports', async () => {
  const { violations } = await fuzzChannels(60, seed)
  assert.deepEqual(violations, [])
})
