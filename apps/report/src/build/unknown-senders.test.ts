import assert from 'node:assert/strict'
import type { Address } from '@tollbook/chain/hex'
import { onEveryLedger } from '@tollbook/testing/ledger/every-ledger'
import { EVIDENCE } from '@tollbook/verify/chain/payment'
import { readUnknownSenders } from './unknown-senders.ts'

const signal = new AbortController().signal
const wallet = (number: number): Address => `0x${number.toString(16).padStart(40, '0')}`

onEveryLedger(
  'senders outside the list with at least 100 payments to 3 merchants are found, busiest first',
  async ({ open }) => {
    const ledger = await open()
    const senders = [
      { facilitator: wallet(1), count: 100, merchants: 3, evidence: EVIDENCE.authorizationUsed },
      { facilitator: wallet(2), count: 120, merchants: 4, evidence: EVIDENCE.authorizationUsed },
      { facilitator: wallet(3), count: 99, merchants: 3, evidence: EVIDENCE.authorizationUsed },
      { facilitator: wallet(4), count: 150, merchants: 2, evidence: EVIDENCE.authorizationUsed },
      {
        facilitator: wallet(5),
        count: 200,
        merchants: 9,
        evidence: EVIDENCE.authorizationUsed | EVIDENCE.knownFacilitator,
      },
    ]
    const payments = senders.flatMap(({ facilitator, count, merchants, evidence }, block) =>
      Array.from({ length: count }, (_, logIndex) => ({
        blockNumber: block,
        logIndex,
        timestamp: 1_000 + block,
        transaction: `0x${'7'.repeat(64)}` as const,
        buyer: wallet(99),
        merchant: wallet(200 + (logIndex % merchants)),
        amount: 30_000n,
        facilitator,
        evidence,
      })),
    )
    await ledger.insert(1, payments, signal)
    const coverage = { firstBlock: 0, endBlock: 10, attempts: [1] }
    const window = { start: 1_000, end: 2_000 }
    // 120 and 100 payments of 3 cents are 3.60 and 3.00 dollars.
    assert.deepEqual(await readUnknownSenders(ledger, { coverage, window }, signal), [
      { address: wallet(2), payments: 120, merchants: 4, usd: 3 },
      { address: wallet(1), payments: 100, merchants: 3, usd: 3 },
    ])
    const before = { start: 0, end: 1_000 }
    assert.deepEqual(await readUnknownSenders(ledger, { coverage, window: before }, signal), [])
  },
)
