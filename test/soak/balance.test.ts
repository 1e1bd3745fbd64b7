import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EvidenceLine } from '@tollbook/report/evidence/evidence-stream'
import type { Transfer } from '../crash/transfers.ts'
import { type Books, findDifferences } from './balance.ts'
import type { Purchase } from './purchase.ts'

const receipt = { transaction: '0xaa', amount: 3_000n }
const purchase: Purchase = {
  endpointId: 'calc',
  scheme: 'exact',
  payer: '0x01',
  nonce: '0xAb',
  max: 3_000n,
  tries: 1,
  startedMs: 0,
  ms: 5,
  foretold: null,
  outcome: { kind: 'answered', receipt, fault: null },
}
const transfer: Transfer = { payer: '0x01', nonce: '0xab', amount: 3_000n, transaction: '0xaa' }
const line = {
  block: 7,
  log_index: 1,
  time: '2026-11-22 08:00:00',
  transaction: '0xaa',
  buyer: '0x01',
  amount_usd: 0.003,
  verdict: 'passes',
  flag: null,
} as unknown as EvidenceLine
const refused = { kind: 'refused', status: 502, code: 'upstream_failed' } as const

const right: Books = {
  purchases: [purchase, { ...purchase, nonce: '0xcd', outcome: refused }],
  transfers: [transfer],
  charges: new Map([
    ['0xab', { state: 'settled', charge: 3_000n }],
    ['0xcd', { state: 'released', charge: 0n }],
  ]),
  reported: [line],
}

test('books that agree to the micro-dollar have no differences', () => {
  assert.deepEqual(findDifferences(right), [])
})

const wrong: readonly (readonly [what: string, change: Partial<Books>, words: RegExp])[] = [
  [
    'charged without an answer',
    { purchases: [{ ...purchase, outcome: refused }] },
    /charged without an answer/,
  ],
  [
    'answered wrongly',
    { purchases: [{ ...purchase, outcome: { kind: 'answered', receipt, fault: 'not JSON' } }] },
    /answered wrongly: not JSON/,
  ],
  ['answered without a charge', { transfers: [], reported: [] }, /answered without a charge/],
  ['charged twice', { transfers: [transfer, transfer] }, /charged 2 times/],
  ['charged another sum', { transfers: [{ ...transfer, amount: 2_999n }] }, /charged 2999 of 3000/],
  ['charged to another wallet', { transfers: [{ ...transfer, payer: '0x02' }] }, /someone else/],
  ['paid for nothing', { transfers: [transfer, { ...transfer, nonce: '0xef' }] }, /no call explains/],
  ['receipted wrongly', { transfers: [{ ...transfer, transaction: '0xbb' }] }, /receipt names another/],
  ['unknown to the ledger', { charges: new Map() }, /the ledger says nothing/],
  [
    'of another sum in the ledger',
    { charges: new Map([['0xab', { state: 'settled', charge: 1n }]]) },
    /the ledger names another charge/,
  ],
  ['missing in the report', { reported: [] }, /the report has another sum/],
  ['of another sum in the report', { reported: [{ ...line, amount_usd: 0.003001 }] }, /another sum/],
  [
    'invented by the report',
    { reported: [line, { ...line, transaction: '0xcc' }] },
    /names a payment that is none/,
  ],
]

for (const [what, change, words] of wrong) {
  test(`a call that is ${what} is reported`, () => {
    assert.match(findDifferences({ ...right, ...change }).join('\n'), words)
  })
}
