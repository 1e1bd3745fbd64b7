import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkEvidence } from '@tollbook/verify/checks/check-evidence'
import { toNdjsonLine } from './evidence-stream.ts'

/** Transaction 0x9e073fc0e27ff29851e277f980c9512dcf82711f4584d16ab2378cadb9a00532 of Base, over a router. */
const ROUTED = {
  blockNumber: 40_000_000,
  logIndex: 3,
  timestamp: 1_786_789_347,
  transaction: '0x9e073fc0e27ff29851e277f980c9512dcf82711f4584d16ab2378cadb9a00532',
  buyer: `0x${'1c'.repeat(20)}`,
  merchant: `0x${'fe'.repeat(20)}`,
  facilitator: `0x${'fa'.repeat(20)}`,
  amount: 9_068_802n,
  fee: 91_604n,
  evidence: 33,
  flag: null,
} as const

test('the fee of a routed payment is compared, also where it is missing or invented', () => {
  const line = toNdjsonLine(ROUTED)
  assert.equal(JSON.parse(line).fee_usd, 0.091604)
  const { fee: _, ...unrouted } = ROUTED
  const differing = (text: string, payment: Parameters<typeof checkEvidence>[1][number] = ROUTED) =>
    checkEvidence(text, [payment]).flatMap((check) => (check.verdict === 'equal' ? [] : [check.field]))
  assert.deepEqual(differing(line), [])
  const field = 'evidence.40000000/3.fee_usd'
  assert.deepEqual(differing(line.replace('0.091604', '0.091605')), [field])
  assert.deepEqual(differing(toNdjsonLine(unrouted)), [field])
  assert.deepEqual(differing(line, unrouted), [field])
})
