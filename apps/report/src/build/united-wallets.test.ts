import assert from 'node:assert/strict'
import type { Address } from '@tollbook/chain/hex'
import { onEveryLedger } from '@tollbook/testing/ledger/every-ledger'
import {
  arbitraryMethod,
  arbitraryPayments,
  END,
  findEarlierBuyers,
  START,
  WALLETS,
  WINDOW,
} from '@tollbook/testing/ledger/random-payments'
import { fc, slowRuns } from '@tollbook/testing/property'
import { addUpFigures } from '@tollbook/verify/build/add-up-figures'
import { isPayment } from '@tollbook/verify/chain/payment-rule'
import { floorOf } from '@tollbook/verify/screen/counting-floor'
import { NO_SCREEN_INPUTS } from '@tollbook/verify/screen/screen'
import { screenPayments } from '@tollbook/verify/screen/screen-payments'
import { buildFigures } from './build-figures.ts'
import { uniteWallets } from './united-wallets.ts'

const signal = new AbortController().signal
const [FIRST = '0x', SECOND = '0x', THIRD = '0x'] = WALLETS
const unite = (wallet: Address) => (wallet === SECOND ? FIRST : wallet)
let attempt = 0

onEveryLedger('the figures of a union are those of its payments as if to one wallet', async ({ open }) => {
  const ledger = await open()
  await fc.assert(
    fc.asyncProperty(arbitraryPayments, arbitraryMethod, fc.nat(100), async (all, rules, part) => {
      attempt += 2
      const outflows = all.map((payment) => ({
        ...payment,
        sender: payment.merchant,
        recipient: payment.buyer,
        amount: (payment.amount * BigInt(part)) / 100n,
      }))
      await ledger.insert(attempt, all, signal)
      await ledger.transfers.insert(attempt + 1, outflows, signal)
      const coverage = { firstBlock: 0, endBlock: 1_000_000, attempts: [attempt] }
      const united = uniteWallets(ledger, [[FIRST, SECOND]], { coverage, window: WINDOW, method: rules })
      const method = { ...rules, listedPayees: new Set([FIRST]) }
      const selection = { coverage, outflowAttempts: [attempt + 1], window: WINDOW, method }
      const found = await buildFigures(united, selection, signal)

      const isIn = ({ timestamp }: { readonly timestamp: number }) =>
        timestamp >= WINDOW.start && timestamp < WINDOW.end
      const paid = all
        .filter((each) => isIn(each) && isPayment(each, rules.listedPayees))
        .map((each) => ({ ...each, merchant: unite(each.merchant) }))
        .filter(({ merchant }) => merchant === FIRST)
      const sent = outflows
        .filter(isIn)
        .map((each) => ({ ...each, sender: unite(each.sender), recipient: unite(each.recipient) }))
      const flags = screenPayments({ payments: paid, outflows: sent, ...rules })
      const flagged = paid.map((each, at) => ({ ...each, flag: flags[at] ?? null }))
      const kinds = rules.screens.map(({ kind }) => kind)
      const unique = rules.inputs.listedPrices.get(FIRST)?.unique ?? []
      const floor = floorOf(FIRST, rules.inputs)
      const earlier = findEarlierBuyers(all, { merchants: [FIRST, SECOND], floor, rules })
      const own = addUpFigures(FIRST, flagged, { kinds, floor, unique, earlier })
      assert.deepEqual(found, paid.length === 0 ? [] : [{ ...own, rank: own.realTx > 0 ? 1 : null }])
    }),
    { numRuns: slowRuns(10) },
  )
})

onEveryLedger('several unions are united at once, and other wallets are left out', async ({ open }) => {
  const ledger = await open()
  const [payments] = fc.sample(
    arbitraryPayments.filter((list) =>
      WALLETS.every((wallet) =>
        list.some((one) => one.merchant === wallet && one.timestamp >= START && one.timestamp < END),
      ),
    ),
    1,
  )
  attempt += 2
  await ledger.insert(attempt, payments ?? [], signal)
  const coverage = { firstBlock: 0, endBlock: 1_000_000, attempts: [attempt] }
  const method = { screens: [], inputs: NO_SCREEN_INPUTS, listedPayees: new Set(WALLETS) }
  const unions = [[SECOND, FIRST] as const, [THIRD] as const]
  const united = uniteWallets(ledger, unions, { coverage, window: WINDOW, method })
  const selection = { coverage, outflowAttempts: [], window: WINDOW, method }
  const found = await buildFigures(united, selection, signal)
  assert.deepEqual(new Set(found.map(({ address }) => address)), new Set([SECOND, THIRD]))
})
