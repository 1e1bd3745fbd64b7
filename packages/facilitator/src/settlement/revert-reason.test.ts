import assert from 'node:assert/strict'
import { test } from 'node:test'
import { causeOf } from './revert-reason.ts'

test('a failure because of lateness or a lagging node is not the payer’s', () => {
  for (const kind of ['used', 'ended', 'early'] as const) assert.equal(causeOf(kind), 'operator')
  for (const kind of ['balance', 'allowance', 'signature', 'other'] as const)
    assert.equal(causeOf(kind), 'payer')
})
