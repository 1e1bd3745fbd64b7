import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { fc } from '../../../../test/property.ts'
import type { Address } from '../../../chain/hex.ts'
import { findWays, MAX_RELAYS } from './find-ways.ts'

const wallet = (at: number): Address => `0x${at.toString(16).padStart(40, '0')}`
const SHOP = 0

/** Every walk from the shop, wallet by wallet; SQLite finds it in its own way. */
const WAYS = `
  WITH RECURSIVE
    out_of(wallet, steps) AS (SELECT ${SHOP}, 0 UNION SELECT recipient, steps + 1 FROM edge JOIN out_of
      ON sender = wallet WHERE steps <= ${MAX_RELAYS} AND recipient != ${SHOP}),
    into_buyer(wallet, steps) AS (SELECT wallet, 0 FROM buyer UNION SELECT sender, steps + 1 FROM edge JOIN into_buyer
      ON recipient = wallet WHERE steps <= ${MAX_RELAYS} AND recipient != ${SHOP})
  SELECT DISTINCT out_of.wallet AS wallet FROM out_of JOIN into_buyer USING (wallet)
  WHERE out_of.steps + into_buyer.steps <= ${MAX_RELAYS + 1} AND wallet != ${SHOP} ORDER BY wallet`

test('the wallets between a merchant and its buyers are those that SQLite finds in 1,000 random graphs', () => {
  const db = new DatabaseSync(':memory:')
  db.exec('CREATE TABLE edge (sender, recipient); CREATE TABLE buyer (wallet)')
  const [addEdge, addBuyer] = ['edge VALUES (?, ?)', 'buyer VALUES (?)'].map((row) =>
    db.prepare(`INSERT INTO ${row}`),
  )
  const node = fc.integer({ min: 0, max: 15 })
  const graph = fc.record({
    edges: fc.array(fc.tuple(node, node), { minLength: 20, maxLength: 40 }),
    buyers: fc.uniqueArray(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 3 }),
  })
  let withWays = 0
  fc.assert(
    fc.property(graph, ({ edges, buyers }) => {
      db.exec('DELETE FROM edge; DELETE FROM buyer')
      for (const [sender, recipient] of edges) if (sender !== recipient) addEdge?.run(sender, recipient)
      for (const buyer of buyers) addBuyer?.run(buyer)
      const found = findWays({
        origins: new Set([wallet(SHOP)]),
        buyers: new Set(buyers.map(wallet)),
        edges: edges.map(([sender, recipient]) => ({ sender: wallet(sender), recipient: wallet(recipient) })),
        hubs: new Set(),
      })
      const expected = db
        .prepare(WAYS)
        .all()
        .map((row) => wallet(Number(row.wallet)))
      if (expected.length > 0) withWays += 1
      assert.deepEqual([...found].sort(), expected)
    }),
    { numRuns: 1_000 },
  )
  db.close()
  assert(withWays > 200)
})
