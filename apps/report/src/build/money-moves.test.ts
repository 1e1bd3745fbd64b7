import assert from 'node:assert/strict'
import type { Address } from '@tollbook/chain/hex'
import { onEveryLedger } from '@tollbook/testing/ledger/every-ledger'
import {
  arbitraryPayments,
  arbitraryWallet,
  END,
  START,
  WALLETS,
  WINDOW,
} from '@tollbook/testing/ledger/random-payments'
import { fc, slowRuns } from '@tollbook/testing/property'
import { ESCROW_EVIDENCE, EVIDENCE, type Payment } from '@tollbook/verify/chain/payment'
import { isFollowedPayment } from '@tollbook/verify/screen/flow/direct-moves'
import { placeOf } from '@tollbook/verify/screen/flow/follow-shares'
import { NO_SCREEN_INPUTS } from '@tollbook/verify/screen/screen'
import { readBuyersOfSenders, readEdges, readIndirectPayments } from './money-moves.ts'
import { uniteWallets } from './united-wallets.ts'

const signal = new AbortController().signal
const [FIRST = '0x', SECOND = '0x'] = WALLETS
const method = { screens: [], inputs: NO_SCREEN_INPUTS, listedPayees: new Set<Address>() }
let attempt = 0

/** Payments of which every second or so came out of an escrow or over a router. */
const arbitraryIndirect = fc
  .tuple(
    arbitraryPayments,
    fc.infiniteStream(
      fc.constantFrom(
        EVIDENCE.claim,
        EVIDENCE.capture | EVIDENCE.filledByOthers,
        EVIDENCE.authorizationUsed | EVIDENCE.knownFacilitator | EVIDENCE.routed,
        EVIDENCE.authorizationUsed | EVIDENCE.knownFacilitator,
      ),
    ),
    fc.infiniteStream(fc.nat(300)),
  )
  .map(([payments, evidence, numbers]) =>
    payments.map((payment): Payment => {
      // Few enough that some pay several merchants.
      const transaction = `0x${String(numbers.next().value).padStart(64, '0')}` as const
      return { ...payment, transaction, evidence: evidence.next().value ?? 0 }
    }),
  )

const isIn = ({ timestamp }: Payment) => timestamp >= START && timestamp < END
const isEscrowed = ({ evidence }: Payment) => (evidence & ESCROW_EVIDENCE) !== 0

onEveryLedger(
  'the payments that money is followed through are those of the rule, also of unions',
  async ({ open }) => {
    const ledger = await open()
    await fc.assert(
      fc.asyncProperty(
        arbitraryIndirect,
        fc.subarray(WALLETS.slice(1), { minLength: 1 }),
        arbitraryWallet,
        fc.boolean(),
        async (all, wallets, disclosed, isUnion) => {
          attempt += 1
          await ledger.insert(attempt, all, signal)
          const coverage = { firstBlock: 0, endBlock: 1_000_000, attempts: [attempt] }
          const selection = { coverage, window: WINDOW, method }
          const toOne = (wallet: Address) => (isUnion && wallet === SECOND ? FIRST : wallet)
          const origins = new Set([FIRST, disclosed])
          const found = await readIndirectPayments(
            isUnion ? uniteWallets(ledger, [[FIRST, SECOND]], selection) : ledger,
            selection,
            [{ merchant: FIRST, origins, wallets: new Set(wallets) }],
            signal,
          )
          const expected = all
            .filter(isIn)
            .map((payment) => ({
              ...payment,
              merchant: toOne(payment.merchant),
              // The buyer of a payment over a router is never its merchant.
              buyer: isEscrowed(payment) ? toOne(payment.buyer) : payment.buyer,
            }))
            .filter((payment) =>
              isFollowedPayment(payment, { merchant: FIRST, origins, wallets: new Set(wallets) }),
            )
          const show = (one: Pick<Payment, 'blockNumber' | 'logIndex' | 'buyer' | 'merchant'>) =>
            `${placeOf(one)} ${one.buyer} ${one.merchant}`
          assert.deepEqual(found.map(show), expected.map(show))
        },
      ),
      { numRuns: slowRuns(10) },
    )
  },
)

onEveryLedger(
  'what leaves an escrow goes from its payer to the payee, who may be a buyer of the payer',
  async ({ open }) => {
    const ledger = await open()
    await fc.assert(
      fc.asyncProperty(arbitraryIndirect, fc.boolean(), async (all, isSameTransaction) => {
        attempt += 1
        await ledger.insert(attempt, all, signal)
        const coverage = { firstBlock: 0, endBlock: 1_000_000, attempts: [attempt] }
        const edges = await readEdges(ledger, { window: WINDOW, attempts: [], coverage }, signal)
        const sums = new Map<string, bigint>()
        const escrowed = all.filter((one) => isIn(one) && isEscrowed(one))
        for (const { buyer, merchant, amount } of escrowed)
          if (buyer !== merchant)
            sums.set(`${buyer} ${merchant}`, (sums.get(`${buyer} ${merchant}`) ?? 0n) + amount)
        assert.deepEqual(
          new Map(edges.map(({ sender, recipient, amount }) => [`${sender} ${recipient}`, amount])),
          sums,
        )
        const buyers = await readBuyersOfSenders(
          ledger,
          { window: WINDOW, coverage, method, outflowAttempts: [], max: 100, isSameTransaction },
          signal,
        )
        const expected = new Map<Address, Set<Address>>()
        for (const payment of all.filter(isIn))
          if (
            payment.buyer !== payment.merchant &&
            escrowed.some(
              ({ buyer, transaction }) =>
                buyer === payment.merchant && (!isSameTransaction || transaction === payment.transaction),
            )
          )
            expected.set(payment.merchant, (expected.get(payment.merchant) ?? new Set()).add(payment.buyer))
        assert.deepEqual(buyers, expected)
      }),
      { numRuns: slowRuns(10) },
    )
  },
)
