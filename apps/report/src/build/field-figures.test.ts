import assert from 'node:assert/strict'
import { onEveryLedger } from '@tollbook/testing/ledger/every-ledger'
import { toPlace } from '@tollbook/testing/ledger/random-outflows'
import { START, WALLETS, WINDOW } from '@tollbook/testing/ledger/random-payments'
import { EVIDENCE } from '@tollbook/verify/chain/payment'
import { NO_SCREEN_INPUTS } from '@tollbook/verify/screen/screen'
import { readFieldFigures } from './field-figures.ts'

const DAY = 86_400

onEveryLedger('the field is added up as a whole, by day and by facilitator', async ({ open }) => {
  const ledger = await open()
  const { signal } = new AbortController()
  const [ann, ben, shop, relay] = WALLETS
  assert(ann && ben && shop && relay)
  // The window begins on 2026-11-08. The third amount is below a thousandth of a dollar, which is in sums of
  // money only.
  const payments = [
    { buyer: ann, facilitator: relay, amount: 10_000n, timestamp: START + 10 },
    { buyer: ben, facilitator: shop, amount: 20_000n, timestamp: START + 20 },
    { buyer: ann, facilitator: relay, amount: 500n, timestamp: START + DAY },
  ].map((each, at) => ({ ...each, ...toPlace(at), merchant: shop, evidence: EVIDENCE.permit2Proxy }))
  await ledger.insert(1, payments, signal)
  const coverage = { firstBlock: 0, endBlock: 1_000_000, attempts: [1] }
  const method = { screens: [], inputs: NO_SCREEN_INPUTS, listedPayees: new Set<typeof ann>() }
  const criteria = { coverage, outflowAttempts: [], window: WINDOW, method }
  const all = (tx: number, amount: number) => ({ tx, amount, real_tx: tx, real_amount: amount })
  assert.deepEqual(await readFieldFigures(ledger, criteria, signal), {
    buyers: 2,
    real_buyers: 2,
    facilitators: [
      { address: shop, ...all(1, 20_000) },
      { address: relay, ...all(1, 10_500) },
    ],
    daily: [
      { date: '2026-11-08', ...all(2, 30_000) },
      { date: '2026-11-09', ...all(0, 500) },
    ],
  })
})
