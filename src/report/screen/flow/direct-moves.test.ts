import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Address, Hex } from '../../../chain/hex.ts'
import { EVIDENCE } from '../../chain/payment.ts'
import type { IndirectPayment } from './direct-moves.ts'
import type { Move } from './follow-shares.ts'
import { judgeFlow } from './judge-flow.ts'

const wallet = (at: number): Address => `0x${at.toString(16).padStart(40, '0')}`
const SHOP = wallet(1)
const ANN = wallet(2)
const BEN = wallet(3)
const MULE = wallet(4)
const ROUTER = wallet(5)
const EXCHANGE = wallet(6)
const ESCROW = wallet(7)
const DOLLAR = 1_000_000n

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

/** A payment of some dollars that no transfer from the buyer shows. */
const indirect = (buyer: Address, dollars: number, evidence: number, at: number): IndirectPayment => ({
  blockNumber: at,
  logIndex: 1_000,
  transaction: `0x${at.toString(16).padStart(64, '0')}`,
  buyer,
  merchant: SHOP,
  amount: BigInt(dollars) * DOLLAR,
  evidence,
})

for (const kind of ['claim', 'capture'] as const)
  test(`money that comes back out of an escrow (${kind}) is circular, and its payer funded`, () => {
    const moves = toMoves([
      [SHOP, MULE, 100],
      [MULE, ANN, 100],
      [ANN, ESCROW, 100],
      [BEN, ESCROW, 50],
      [ESCROW, SHOP, 130],
      // What was not claimed.
      [ESCROW, ANN, 20],
    ])
    const payments = [indirect(ANN, 80, EVIDENCE[kind], 4), indirect(BEN, 50, EVIDENCE[kind], 4)]
    const custodians = new Set([ESCROW])
    const trail = { origins: new Set([SHOP]), moves, hubs: new Set([ESCROW]) }
    const { circular, funded, linked } = judgeFlow(SHOP, trail, {
      payments: payments.map((payment, at) => ({ ...payment, logIndex: 1_000 + at })),
      custodians,
    })
    assert.deepEqual([[...circular], [...funded], [...linked]], [['4:1000'], [ANN], [ANN]])
  })

test('deposits that are taken back do not hide where the money of a payer came from', () => {
  const moves = toMoves([
    [SHOP, ANN, 10],
    [EXCHANGE, ANN, 9],
    ...Array.from({ length: 5 }, (): readonly Step[] => [
      [ANN, ESCROW, 19],
      [ESCROW, ANN, 19],
    ]).flat(),
    [ANN, ESCROW, 19],
  ])
  const { funded } = judgeFlow(
    SHOP,
    { origins: new Set([SHOP]), moves, hubs: new Set([ESCROW, EXCHANGE]) },
    { payments: [indirect(ANN, 19, EVIDENCE.claim, 20)], custodians: new Set([ESCROW]) },
  )
  assert.deepEqual([...funded], [ANN])
})

test('the payer over a router is its buyer, not the router', () => {
  const moves = toMoves([
    [SHOP, ANN, 10],
    [ANN, ROUTER, 10],
    [ROUTER, SHOP, 10, 'together'],
  ])
  const [, , last] = moves
  const payments = [{ ...indirect(ANN, 10, EVIDENCE.routed, 2), logIndex: last?.logIndex ?? 0 }]
  const trail = { origins: new Set([SHOP]), moves, hubs: new Set<Address>() }
  const { circular, funded } = judgeFlow(SHOP, trail, { payments, custodians: new Set() })
  assert.deepEqual([[...circular], [...funded]], [['2:2'], [ANN]])
})
