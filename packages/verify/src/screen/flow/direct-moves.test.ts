import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Address, Hex } from '@tollbook/chain/hex'
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

test('a lent capture is circular if the money passes through a store of its operator, which is followed', () => {
  const moves = toMoves([
    [EXCHANGE, ANN, 100],
    [ANN, ESCROW, 100, 'together'],
    [ESCROW, MULE, 100, 'together'],
    [MULE, SHOP, 100, 'together'],
    [SHOP, EXCHANGE, 99, 'together'],
  ])
  const payments = [indirect(ANN, 100, EVIDENCE.capture, 1)]
  const trail = { origins: new Set([SHOP]), moves, hubs: new Set([EXCHANGE, ESCROW]) }
  const { circular } = judgeFlow(SHOP, trail, { payments, custodians: new Set([ESCROW]) })
  assert(circular.has('1:1000'))
})

test('a claim of what a lender deposits, and gets back of the merchant, in one transaction is circular', () => {
  const moves = toMoves([[SHOP, EXCHANGE, 100]])
  const judge = (evidence: number) => {
    const payments = [indirect(ANN, 100, evidence, 1)]
    const trail = { origins: new Set([SHOP]), moves, hubs: new Set([EXCHANGE, ESCROW]) }
    return [...judgeFlow(SHOP, trail, { payments, custodians: new Set([ESCROW]) }).circular]
  }
  assert.deepEqual(judge(EVIDENCE.claim | EVIDENCE.filledByOthers), ['1:1000'])
  // A merchant that claims what was deposited before, and passes it on at once.
  assert.deepEqual(judge(EVIDENCE.claim), [])
})

test('a lender that lends by a deposit, which its payer takes back and pays, is seen', () => {
  const moves = toMoves([
    [ESCROW, ANN, 100],
    [ANN, SHOP, 100, 'together'],
    [SHOP, EXCHANGE, 100, 'together'],
  ])
  const payments = [indirect(ANN, 1, EVIDENCE.claim, 9)]
  const trail = { origins: new Set([SHOP]), moves, hubs: new Set([EXCHANGE, ESCROW]) }
  const { circular } = judgeFlow(SHOP, trail, { payments, custodians: new Set([ESCROW]) })
  assert.deepEqual([...circular], ['1:1'])
})

test('a buyer that takes its deposit back has no money of those whose deposits are in the same escrow', () => {
  const moves = toMoves([
    [SHOP, BEN, 100],
    [BEN, ESCROW, 100],
    [ESCROW, ANN, 50],
    [ANN, SHOP, 50],
  ])
  const trail = { origins: new Set([SHOP]), moves, hubs: new Set<Address>() }
  const { circular, funded } = judgeFlow(SHOP, trail, { payments: [], custodians: new Set([ESCROW]) })
  assert.deepEqual([[...circular], [...funded]], [[], []])
})

test('a deposit that is taken back is still money of the merchant', () => {
  const moves = toMoves([
    [SHOP, MULE, 50],
    [MULE, ANN, 50],
    [ANN, ESCROW, 50],
    [ESCROW, ANN, 50],
    [ANN, SHOP, 50],
  ])
  const trail = { origins: new Set([SHOP]), moves, hubs: new Set([ESCROW]) }
  const { funded } = judgeFlow(SHOP, trail, { payments: [], custodians: new Set([ESCROW]) })
  assert.deepEqual([...funded], [ANN])
})

for (const kind of ['claim', 'capture'] as const)
  test(`what the merchant pays its buyer out of an escrow (${kind}) is its money, once`, () => {
    const judge = (own: number) => {
      const moves = toMoves([
        [EXCHANGE, ANN, 100 - own],
        [SHOP, kind === 'claim' ? ESCROW : MULE, own],
        [kind === 'claim' ? ESCROW : MULE, ANN, own],
        [ANN, SHOP, 100],
      ])
      const payments = [{ ...indirect(SHOP, own, EVIDENCE[kind], 3), merchant: ANN }]
      const trail = { origins: new Set([SHOP]), moves, hubs: new Set([ESCROW, EXCHANGE]) }
      const { circular, funded } = judgeFlow(SHOP, trail, { payments, custodians: new Set([ESCROW]) })
      return [[...circular], [...funded]]
    }
    // Counted twice, 34 of 100 would be 68 of 134.
    assert.deepEqual(judge(34), [[], []])
    assert.deepEqual(judge(50), [['4:3'], [ANN]])
  })

test('a lender that is repaid out of a channel of the merchant, in the transaction of the payment, is seen', () => {
  const moves = toMoves([
    [EXCHANGE, ANN, 100],
    [ANN, SHOP, 100, 'together'],
    [ESCROW, EXCHANGE, 50, 'together'],
  ])
  const payments = [{ ...indirect(SHOP, 50, EVIDENCE.claim, 1), merchant: EXCHANGE }]
  const trail = { origins: new Set([SHOP]), moves, hubs: new Set([EXCHANGE, ESCROW]) }
  const { circular } = judgeFlow(SHOP, trail, { payments, custodians: new Set([ESCROW]) })
  assert.deepEqual([...circular], ['1:1'])
})
