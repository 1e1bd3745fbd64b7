import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { killIndexers } from '../crash/indexer-series.ts'

test('indexers that are killed three times while the chain grows and moves leave the ledger of a calm run', async (t) => {
  const seed = randomInt(1_000_000)
  const { rows, undisturbed, reorganisations } = await killIndexers({ kills: 3, seed })
  t.diagnostic(`seed ${seed}: ${rows.length} payments, ${reorganisations} reorganisations`)
  assert(rows.length > 300)
  assert.deepEqual(rows, undisturbed)
})
