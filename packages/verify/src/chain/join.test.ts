import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Address, Hex } from '@tollbook/chain/hex'
import { TOPIC } from '@tollbook/chain/topics'
import { BASE_CONTRACTS } from './contracts.ts'
import { NO_TERMS } from './escrow-terms.ts'
import { type JoinContext, joinPayments } from './join.ts'
import { EVIDENCE } from './payment.ts'
import { decodeReceipt } from './receipts.ts'

const FACILITATOR = `0x${'f'.repeat(40)}` as const
const [PROXY = FACILITATOR, OTHER_PROXY = FACILITATOR, EARLIER_PROXY = FACILITATOR] = BASE_CONTRACTS.proxies
const { custodians } = BASE_CONTRACTS
const CONTEXT: JoinContext = { custodians, routers: new Set(), terms: NO_TERMS, timeOf: () => 2 }
const ANN = wallet(0xa1)
const BEN = wallet(0xb1)
const SHOP = wallet(0x51)
const BAR = wallet(0x52)

test('the real receipt of a settlement on Base Sepolia is one payment', () => {
  const text = readFileSync(new URL('./golden/base-sepolia-eip3009-receipt.json', import.meta.url), 'utf8')
  const sepolia = { ...BASE_CONTRACTS, usdc: '0x036cbd53842c5426634e7929541ec2318f3dcf7e' } as const
  const receipt = decodeReceipt(JSON.parse(text), sepolia)
  assert.deepEqual(
    joinPayments([receipt], { ...CONTEXT, timeOf: ({ toldTimestamp }) => toldTimestamp ?? 0 }),
    {
      // Read off the receipt: block 0x2dacf06, log 0x4d, time 0x6ac8fcec, value 0x2710.
      payments: [
        {
          blockNumber: 47_894_278,
          logIndex: 77,
          timestamp: 1_791_556_844,
          transaction: '0x30ca156899828709dac13ade34a3b2f2689bc9f2eb7690467a49c2fcaed55ce3',
          buyer: '0xe65e3de1493171dcf0a706a3f407d7ddb38c5673',
          merchant: '0xd8e1d2faf5e4509ee295c50e0f5e369e71861215',
          amount: 10_000n,
          facilitator: '0xd407e409e34e0b9afb99ecceb609bdbcd5e7f1bf',
          evidence: EVIDENCE.authorizationUsed,
        },
      ],
      misses: 0,
    },
  )
})

test('payers of one transaction are kept apart', () => {
  const logs = [used(ANN), transfer(ANN, SHOP, 1n), used(BEN), transfer(BEN, BAR, 2n), used(ANN)]
  assert.deepEqual(summary([...logs, transfer(ANN, BAR, 3n)]), [
    'ann pays shop 1 at 1',
    'ben pays bar 2 at 3',
    'ann pays bar 3 at 5',
  ])
})

test('a plain transfer next to a payment is not a payment, regardless of its sender', () => {
  const logs = [transfer(ANN, BAR, 9n), used(ANN), transfer(ANN, SHOP, 1n), transfer(ANN, BAR, 8n)]
  assert.deepEqual(summary([...logs, transfer(BEN, SHOP, 7n)]), ['ann pays shop 1 at 2'])
})

test('an authorization takes the nearest later transfer of its payer when its neighbour is another log', () => {
  const other = log(FACILITATOR, [TOPIC.settled])
  assert.deepEqual(summary([used(ANN), other, transfer(BEN, BAR, 5n), transfer(ANN, SHOP, 1n)]), [
    'ann pays shop 1 at 3',
  ])
})

test('an authorization without a neighbour does not take the transfer of the next', () => {
  const logs = [used(ANN), used(ANN), transfer(ANN, SHOP, 1n), transfer(ANN, BAR, 2n)]
  assert.deepEqual(summary(logs), ['ann pays shop 1 at 2', 'ann pays bar 2 at 3'])
  assert.deepEqual(join([used(ANN), used(ANN), transfer(ANN, SHOP, 1n)]).misses, 1)
})

test('an authorization without any transfer is counted as a miss', () => {
  assert.deepEqual(join([used(ANN), transfer(BEN, SHOP, 1n)]), { payments: [], misses: 1 })
})

test('a transfer of nothing is no payment', () => {
  assert.deepEqual(join([used(ANN), transfer(ANN, SHOP, 0n)]), { payments: [], misses: 0 })
})

test('logs of other tokens and other contracts are no evidence', () => {
  const token = wallet(0x99)
  const logs = [
    log(token, [TOPIC.authorizationUsed, topicOf(ANN), topicOf(ANN)]),
    { ...transfer(ANN, SHOP, 1n), address: token },
    log(token, [TOPIC.settled]),
  ]
  assert.deepEqual(join(logs), { payments: [], misses: 0 })
})

test('a proxy that settles is joined with the transfer before it, by either event and by every proxy', () => {
  const logs = [
    transfer(ANN, SHOP, 1n),
    log(PROXY, [TOPIC.settled]),
    transfer(BEN, BAR, 2n),
    log(OTHER_PROXY, [TOPIC.settledWithPermit]),
    transfer(ANN, BAR, 3n),
    log(EARLIER_PROXY, [TOPIC.settled]),
  ]
  assert.deepEqual(summary(logs), ['ann pays shop 1 at 0', 'ben pays bar 2 at 2', 'ann pays bar 3 at 4'])
  assert.equal(join(logs).payments[0]?.evidence, EVIDENCE.permit2Proxy)
})

test('a proxy that settled another token is a miss, and takes no transfer of USDC', () => {
  const logs = [
    transfer(ANN, SHOP, 1n),
    { ...transfer(ANN, SHOP, 2n), address: wallet(0x99) },
    log(PROXY, [TOPIC.settled]),
  ]
  assert.deepEqual(join(logs), { payments: [], misses: 1 })
})

test('a transfer belongs to an authorization or to a proxy, never to both', () => {
  const joined = join([used(ANN), transfer(ANN, SHOP, 1n), log(PROXY, [TOPIC.settled])])
  assert.deepEqual([joined.payments.length, joined.misses], [1, 1])
})

test('a node that writes addresses and topics in mixed case shows the same payments', () => {
  const upper = ({ address, topics, data }: BareLog): BareLog => ({
    address: toUpper(address),
    topics: topics.map(toUpper),
    data: toUpper(data),
  })
  const logs = [used(ANN), transfer(ANN, SHOP, 171n), transfer(BEN, BAR, 2n), log(PROXY, [TOPIC.settled])]
  assert.deepEqual(summary(logs.map(upper)), ['ann pays shop 171 at 1', 'ben pays bar 2 at 2'])
})

test('a transfer of USDC without a sender, a recipient or an amount is malformed', () => {
  const whole = transfer(ANN, SHOP, 1n)
  const cut = whole.topics.map((topic, at): Hex => (at === 2 ? '0x51' : topic))
  for (const broken of [
    { ...whole, topics: cut },
    { ...whole, data: '0x' },
  ] as const)
    assert.throws(() => join([used(ANN), broken]), { name: 'InvalidAnswer' })
})

function toUpper(hex: Hex): Hex {
  return `0x${hex.slice(2).toUpperCase()}`
}

/** A log of a receipt, without its place. */
type BareLog = { readonly address: Address; readonly topics: readonly Hex[]; readonly data: Hex }

function join(logs: readonly BareLog[]) {
  return joinPayments([decodeReceipt(receiptOf(logs), BASE_CONTRACTS)], CONTEXT)
}

function summary(logs: readonly BareLog[]): readonly string[] {
  const names = new Map<Address, string>([
    [ANN, 'ann'],
    [BEN, 'ben'],
    [SHOP, 'shop'],
    [BAR, 'bar'],
  ])
  return join(logs).payments.map(
    (payment) =>
      `${names.get(payment.buyer)} pays ${names.get(payment.merchant)} ${payment.amount} at ${payment.logIndex}`,
  )
}

function receiptOf(logs: readonly BareLog[]): unknown {
  return {
    transactionHash: `0x${'1'.repeat(64)}`,
    blockHash: `0x${'2'.repeat(64)}`,
    blockNumber: '0x1',
    from: FACILITATOR,
    logs: logs.map((log, at) => ({ ...log, logIndex: `0x${at.toString(16)}` })),
  }
}

function used(payer: Address): BareLog {
  return log(BASE_CONTRACTS.usdc, [TOPIC.authorizationUsed, topicOf(payer), `0x${'7'.repeat(64)}`])
}

function transfer(from: Address, to: Address, amount: bigint): BareLog {
  const topics = [TOPIC.transfer, topicOf(from), topicOf(to)]
  return { ...log(BASE_CONTRACTS.usdc, topics), data: `0x${amount.toString(16).padStart(64, '0')}` }
}

function log(address: Address, topics: readonly Hex[]): BareLog {
  return { address, topics, data: '0x' }
}

function wallet(number: number): Address {
  return `0x${number.toString(16).padStart(40, '0')}`
}

function topicOf(address: Address): Hex {
  return `0x${address.slice(2).padStart(64, '0')}`
}
