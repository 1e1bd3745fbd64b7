import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Address } from '@tollbook/chain/hex'
import { onEveryLedger } from '@tollbook/testing/ledger/every-ledger'
import { toPlace } from '@tollbook/testing/ledger/random-outflows'
import { fc } from '@tollbook/testing/property'
import { EVIDENCE, type Payment } from '@tollbook/verify/chain/payment'
import type { Transfer } from '@tollbook/verify/chain/transfer'
import { NO_SCREEN_INPUTS } from '@tollbook/verify/screen/screen'
import { buildFigures } from './build-figures.ts'
import { addExchangeNotes, findFundedBuyers, writeExchangeNote } from './exchange-notes.ts'

const signal = new AbortController().signal
const END = Date.UTC(2026, 10, 15, 12, 0, 1) / 1000
const START = END - 604_800
const WINDOW = { startBlock: 0, endBlock: 302_400, start: START, end: END, isComplete: true }
const [EXCHANGE, BRIDGE, ANN, BEN, SHOP, BAR] = [1, 2, 3, 4, 5, 6].map(
  (at): Address => `0x${String(at).repeat(40)}`,
) as [Address, Address, Address, Address, Address, Address]
const LABELS = { version: '2026-11-01', sha256: '0'.repeat(64), wallets: new Set([EXCHANGE, BRIDGE]) }

test('a buyer is funded when half of what others sent it came from labelled wallets', () => {
  const send = (sender: Address, amount: bigint) => ({ sender, recipient: ANN, amount })
  const isFunded = (...inflows: ReturnType<typeof send>[]) =>
    findFundedBuyers(inflows, LABELS.wallets).has(ANN)
  assert(isFunded(send(EXCHANGE, 1n)))
  assert(isFunded(send(EXCHANGE, 3n), send(BRIDGE, 2n), send(BEN, 5n)))
  assert(!isFunded(send(EXCHANGE, 3n), send(BRIDGE, 2n), send(BEN, 6n)))
  // A wallet's transfers to itself are not inflow.
  assert(isFunded(send(EXCHANGE, 1n), send(ANN, 100n)))
  assert(!isFunded(send(ANN, 100n)))
  assert(!isFunded())
})

test('the note appears from a quarter of the money, and is omitted where unknown buyers could change the result', () => {
  const note = (fundedAmount: bigint, unknownAmount = 0n) =>
    writeExchangeNote({ amount: 1_000n, fundedAmount, unknownAmount }, '7')
  assert.equal(note(249n), null)
  assert.match(note(250n) ?? '', /^25% of the reported dollars .* label list 7\./)
  // 385 of 1,000 is 38.5 %, rounded half up.
  assert.match(note(385n) ?? '', /^39% /)
  assert.equal(note(200n, 49n), null)
  assert.equal(note(200n, 50n), undefined)
  assert.match(note(250n, 700n) ?? '', /^At least 25% /)
})

const wallet = fc.constantFrom(EXCHANGE, BRIDGE, ANN, BEN)
const amount = fc.oneof(fc.bigInt(1n, 12n), fc.bigInt(1n, 2n ** 50n))
const timestamp = fc.constantFrom(START - 1, START, START + 1_000, END - 1, END)
const payments = fc.array(
  fc.record({
    buyer: fc.constantFrom(ANN, BEN, EXCHANGE),
    merchant: fc.constantFrom(SHOP, BAR),
    amount,
    timestamp,
  }),
  { minLength: 1, maxLength: 12 },
)
const inflows = fc.array(fc.record({ sender: wallet, recipient: wallet, amount, timestamp }), {
  maxLength: 12,
})
const known = fc.option(fc.subarray([ANN, BEN]), { nil: null })

onEveryLedger('the notes of every merchant equal those computed by hand', async ({ open, isCluster }) => {
  const ledger = await open()
  let attempt = 0
  await fc.assert(
    fc.asyncProperty(payments, inflows, known, async (paid, received, knownBuyers) => {
      attempt++
      await ledger.insert(attempt, paid.map(toPayment), signal)
      await ledger.transfers.insert(attempt, received.map(toTransfer), signal)
      const coverage = { firstBlock: 0, endBlock: 1_000_000, attempts: [attempt] }
      const method = { screens: [], inputs: NO_SCREEN_INPUTS, listedPayees: new Set<Address>() }
      const selection = { coverage, outflowAttempts: [], window: WINDOW, method }
      const figures = await buildFigures(ledger, selection, signal)
      const provided = { labels: LABELS, attempts: [attempt], knownBuyers }
      const noted = await addExchangeNotes(ledger, { ...selection, figures, inflows: provided }, signal)

      const isInWindow = (each: { timestamp: number }) => each.timestamp >= START && each.timestamp < END
      const funded = findFundedBuyers(received.filter(isInWindow), LABELS.wallets)
      for (const { address, amount, exchangeFlowNote } of noted) {
        const sumOf = (counts: (buyer: Address) => boolean) =>
          paid
            .filter((each) => isInWindow(each) && each.merchant === address && counts(each.buyer))
            .reduce((sum, each) => sum + each.amount, 0n)
        const isUnknown = (buyer: Address) => knownBuyers !== null && !knownBuyers.includes(buyer)
        const fundedAmount = sumOf((buyer) => funded.has(buyer) && !isUnknown(buyer))
        const unknownAmount = sumOf(isUnknown)
        assert.equal(
          exchangeFlowNote,
          writeExchangeNote({ amount, fundedAmount, unknownAmount }, LABELS.version),
        )
      }
    }),
    { numRuns: isCluster ? 3 : 10 },
  )
})

function toPayment(each: Pick<Payment, 'buyer' | 'merchant' | 'amount' | 'timestamp'>, at: number): Payment {
  return { ...each, ...toPlace(at), facilitator: EXCHANGE, evidence: EVIDENCE.permit2Proxy }
}

function toTransfer(
  each: Pick<Transfer, 'sender' | 'recipient' | 'amount' | 'timestamp'>,
  at: number,
): Transfer {
  return { ...each, ...toPlace(at) }
}
