import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Address, Hex } from '@tollbook/chain/hex'
import { fc } from '@tollbook/testing/property'
import { findWays, MAX_RELAYS } from './find-ways.ts'
import { followShares, type Move, placeOf } from './follow-shares.ts'
import { judgeFlow } from './judge-flow.ts'

const wallet = (at: number): Address => `0x${at.toString(16).padStart(40, '0')}`
const [SHOP, ANN, BEN, MULE, BANK, OTHER, EXCHANGE] = [1, 2, 3, 4, 5, 6, 7].map(wallet) as [
  Address,
  Address,
  Address,
  Address,
  Address,
  Address,
  Address,
]
const DOLLAR = 1_000_000n
const NONE = { payments: [], custodians: new Set<Address>() }

/** `[from, to, dollars]`, one transaction after another; `with` the last one where the fourth says so. */
type Step = readonly [Address, Address, number, 'together'?]

function toMoves(steps: readonly Step[]): readonly Move[] {
  let block = 0
  return steps.map(([sender, recipient, dollars, together], logIndex) => {
    if (!together) block += 1
    const transaction: Hex = `0x${block.toString(16).padStart(64, '0')}`
    return { blockNumber: block, logIndex, transaction, sender, recipient, amount: BigInt(dollars) * DOLLAR }
  })
}

/** Which steps are circular payments, by index, and who is funded. */
function judge(steps: readonly Step[], hubs: readonly Address[] = [EXCHANGE], own: readonly Address[] = []) {
  const moves = toMoves(steps)
  const flow = judgeFlow(SHOP, { origins: new Set([SHOP, ...own]), moves, hubs: new Set(hubs) }, NONE)
  const circular = moves.flatMap((move, at) => (flow.circular.has(placeOf(move)) ? [at] : []))
  return { circular, funded: [...flow.funded] }
}

test('money that left the merchant and comes back over a relay is circular, regardless of the payer', () => {
  const flow = judge([
    [ANN, SHOP, 100],
    [SHOP, MULE, 100],
    [MULE, BEN, 100],
    [BEN, SHOP, 100],
  ])
  assert.deepEqual(flow, { circular: [3], funded: [BEN] })
})

test('customers that an exchange funded pass, wherever the merchant sends its revenue', () => {
  const honest = judge([
    [EXCHANGE, ANN, 20],
    [ANN, SHOP, 10],
    [SHOP, EXCHANGE, 10],
    [EXCHANGE, BEN, 20],
    [BEN, SHOP, 10],
    [SHOP, BANK, 10],
    [BANK, EXCHANGE, 10],
    [ANN, SHOP, 10],
  ])
  assert.deepEqual(honest, { circular: [], funded: [] })
})

test('other money in a wallet dilutes what left the merchant, and half of it is the limit', () => {
  const mixed = (other: number) =>
    judge([
      [EXCHANGE, MULE, other],
      [SHOP, MULE, 10],
      [MULE, BEN, 8],
      [BEN, SHOP, 8],
    ])
  // 10 of 20 are the merchant's own: exactly half; 10 of 21 are less.
  assert.deepEqual(mixed(10), { circular: [3], funded: [BEN] })
  assert.deepEqual(mixed(11), { circular: [], funded: [] })
})

test('capital that returns to the wallet that funded the buyers is circular even after the payments', () => {
  // The bank sends its own 100 first, and gets them back at the end.
  const once = judge([
    [BANK, ANN, 50],
    [BANK, BEN, 50],
    [ANN, SHOP, 50],
    [BEN, SHOP, 50],
    [SHOP, MULE, 100],
    [MULE, BANK, 100],
  ])
  assert.deepEqual(once, { circular: [2, 3], funded: [ANN, BEN] })
  // Where the merchant keeps the money there is no circle.
  const retained = judge([
    [BANK, ANN, 50],
    [ANN, SHOP, 50],
  ])
  assert.deepEqual(retained, { circular: [], funded: [] })
})

test('money lent, paid and passed on in one transaction is circular, though an exchange lent it', () => {
  const lent = judge([
    [EXCHANGE, ANN, 100],
    [ANN, SHOP, 100, 'together'],
    [SHOP, EXCHANGE, 100, 'together'],
  ])
  assert.deepEqual(lent.circular, [1])
  // A merchant that passes on its revenue at once, paid from what the buyer had, is a shop with a cash register.
  const passedOn = judge([
    [EXCHANGE, ANN, 100],
    [ANN, SHOP, 100],
    [SHOP, EXCHANGE, 100, 'together'],
  ])
  assert.deepEqual(passedOn.circular, [])
})

test('half straight back and half over a relay is all circular from the second round on', () => {
  const round: readonly Step[] = [
    [ANN, SHOP, 100],
    [SHOP, ANN, 49],
    [SHOP, MULE, 51],
    [MULE, ANN, 51],
  ]
  const flow = judge([...round, ...round, ...round])
  // Its own 100 are in the wallet at the end, so the first round is circular as well.
  assert.deepEqual(flow, { circular: [0, 4, 8], funded: [ANN] })
})

test('in a ring of two merchants each finds its own money in the revenue that comes round', () => {
  const round: readonly Step[] = [
    [ANN, SHOP, 100],
    [SHOP, BEN, 100],
    [BEN, OTHER, 100],
    [OTHER, ANN, 100],
  ]
  assert.deepEqual(judge([...round, ...round]).circular, [0, 4])
})

test('a ring of 32 wallets through which 149,000 dollars went is circular whole', () => {
  // 149,000 dollars in payments of 1,000, each by the next of 32 wallets, which the wallet before it filled.
  const ring = Array.from({ length: 32 }, (_, at) => wallet(100 + at))
  const steps = Array.from({ length: 149 }, (_, at): readonly Step[] => {
    const payer = ring[at % 32] ?? BANK
    return [
      [BANK, payer, 1_000],
      [payer, SHOP, 1_000],
      [SHOP, MULE, 1_000],
      [MULE, BANK, 1_000],
    ]
  }).flat()
  const { circular, funded } = judge(steps)
  assert.equal(circular.length, 149)
  assert.equal(funded.length, 32)
})

test('a disclosed wallet is the merchant: what it sends is marked', () => {
  const steps: readonly Step[] = [
    [BANK, ANN, 10],
    [ANN, SHOP, 10],
  ]
  assert.deepEqual(judge(steps, [EXCHANGE], [BANK]), { circular: [1], funded: [ANN] })
})

test('a buyer is linked to the merchant from a tenth of its money on', () => {
  const linkedWith = (other: number) => {
    const moves = toMoves([
      [SHOP, ANN, 10],
      [EXCHANGE, ANN, other],
      [ANN, SHOP, 50],
    ])
    return [...judgeFlow(SHOP, { origins: new Set([SHOP]), moves, hubs: new Set([EXCHANGE]) }, NONE).linked]
  }
  assert.deepEqual(linkedWith(90), [ANN])
  assert.deepEqual(linkedWith(91), [])
})

test('a millionth of a dollar of the merchant links no customer, though it received nothing else', () => {
  const linkedWith = (given: bigint) => {
    const [paid, gift] = toMoves([
      [ANN, SHOP, 5],
      [MULE, ANN, 1],
    ])
    const [out] = toMoves([[SHOP, MULE, 1]])
    assert(paid && gift && out)
    const moves = [out, paid, { ...gift, amount: given }]
    return [...judgeFlow(SHOP, { origins: new Set([SHOP]), moves, hubs: new Set() }, NONE).linked]
  }
  // A tenth of the five dollars that it paid.
  assert.deepEqual(linkedWith(500_000n), [ANN])
  assert.deepEqual(linkedWith(499_999n), [])
  assert.deepEqual(linkedWith(1n), [])
})

const step = fc.record({
  sender: fc.integer({ min: 1, max: 7 }).map(wallet),
  recipient: fc.integer({ min: 1, max: 7 }).map(wallet),
  amount: fc.bigInt(1n, 10n ** 12n),
})

test('marked money is never more than what moved, nor than what left the merchant and its sources', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const moves = steps.map((each, at) => ({
        ...each,
        blockNumber: at,
        logIndex: 0,
        transaction: `0x${at.toString(16).padStart(64, '0')}` as const,
      }))
      const followed = followShares({ origins: new Set([SHOP]), hubs: new Set([EXCHANGE]), moves })
      assert.deepEqual(
        followed.map(({ marked: _, ...move }) => move),
        moves,
      )
      for (const { marked, amount } of followed) assert(marked >= 0n && marked <= amount)
      // Without an outflow of the merchant nothing is marked.
      if (!moves.some(({ sender, recipient }) => sender === SHOP && recipient !== SHOP))
        assert(followed.every(({ marked }) => marked === 0n))
    }),
  )
})

test('the wallets on a way are those that a search of every path finds', () => {
  const edge = fc.record({
    sender: fc.integer({ min: 1, max: 12 }).map(wallet),
    recipient: fc.integer({ min: 1, max: 12 }).map(wallet),
  })
  fc.assert(
    fc.property(fc.array(edge, { maxLength: 14 }), (edges) => {
      const hubs = new Set([EXCHANGE])
      const buyers = new Set([ANN, BEN])
      const found = findWays({ origins: new Set([SHOP]), buyers, edges, hubs })
      const expected = new Set<Address>()
      const walk = (way: readonly Address[]) => {
        const last = way.at(-1)
        if (last && buyers.has(last)) for (const each of way.slice(1)) expected.add(each)
        if (way.length === MAX_RELAYS + 2) return
        for (const { sender, recipient } of edges)
          if (sender === last && sender !== recipient && recipient !== SHOP && !hubs.has(recipient))
            walk([...way, recipient])
      }
      walk([SHOP])
      assert.deepEqual([...found].sort(), [...expected].sort())
    }),
    { numRuns: 1_000 },
  )
})
