import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alg, Graph } from '@dagrejs/graphlib'
import type { Address } from '@tollbook/chain/hex'
import { fc } from '@tollbook/testing/property'
import { findWays, MAX_RELAYS } from './find-ways.ts'

const wallet = (at: number): Address => `0x${at.toString(16).padStart(40, '0')}`
const SHOP = 0

/** The wallets on a walk of allowed length from the shop to a buyer, by Dijkstra's algorithm of a graph library. */
function findOnWalks(edges: readonly (readonly [number, number])[], buyers: readonly number[]): string[] {
  const graph = new Graph()
  for (const at of [SHOP, ...buyers]) graph.setNode(`${at}`)
  // A walk never returns to the shop.
  for (const [sender, recipient] of edges)
    if (recipient !== SHOP && sender !== recipient) graph.setEdge(`${sender}`, `${recipient}`)
  const ones = () => 1
  const fromShop = alg.dijkstra(graph, `${SHOP}`, ones)
  const toBuyers = buyers.map((buyer) =>
    alg.dijkstra(graph, `${buyer}`, ones, (at) => graph.inEdges(at) ?? []),
  )
  return graph.nodes().filter((at) => {
    const rest = Math.min(...toBuyers.map((distances) => distances[at]?.distance ?? Infinity))
    return at !== `${SHOP}` && (fromShop[at]?.distance ?? Infinity) + rest <= MAX_RELAYS + 1
  })
}

test('the wallets between a merchant and its buyers are those of a graph library in 1,000 random graphs', () => {
  const node = fc.integer({ min: 0, max: 15 })
  const graph = fc.record({
    edges: fc.array(fc.tuple(node, node), { minLength: 20, maxLength: 40 }),
    buyers: fc.uniqueArray(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 3 }),
  })
  let withWays = 0
  fc.assert(
    fc.property(graph, ({ edges, buyers }) => {
      const found = findWays({
        origins: new Set([wallet(SHOP)]),
        buyers: new Set(buyers.map(wallet)),
        edges: edges.map(([sender, recipient]) => ({ sender: wallet(sender), recipient: wallet(recipient) })),
        hubs: new Set(),
      })
      const expected = findOnWalks(edges, buyers).map((at) => wallet(Number(at)))
      if (expected.length > 0) withWays += 1
      assert.deepEqual([...found].sort(), expected.sort())
    }),
    { numRuns: 1_000 },
  )
  assert(withWays > 200)
})
