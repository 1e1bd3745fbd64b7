import { RELAY } from './cheated-week.ts'
import { addUsd, excuse, type Falsification, type Forgery } from './falsified-report.ts'
import { BAR, walletOf } from './paid-week.ts'

/** Falsifications of the shop's report of the cheated week. */
export const FLOW_FALSIFICATIONS: readonly Falsification[] = [
  [
    'funded payments called real',
    'flags.funded_by_merchant.tx',
    (forgery) => excuse(forgery, 'funded_by_merchant'),
  ],
  ['circular payments called real', 'flags.circular.tx', (forgery) => excuse(forgery, 'circular')],
  [
    'payments above any price called real',
    'flags.above_listing.usd',
    (forgery) => excuse(forgery, 'above_listing'),
  ],
  ['tiny payments called real', 'flags.tiny_repeat.tx', (forgery) => excuse(forgery, 'tiny_repeat')],
  [
    'circular called self_pay',
    'flags.self_pay.tx',
    ({ report }) => rename(report.flags, 'circular', 'self_pay'),
  ],
  ['less went round', 'flags.circular.usd', ({ report }) => shift(report, 'circular', -1)],
  [
    'less is above the listings',
    'flags.above_listing.usd',
    ({ report }) => shift(report, 'above_listing', -2),
  ],
  [
    'dust counted',
    'tx',
    ({ report }) => {
      report.tx += 3
      report.real_tx += 3
    },
  ],
  [
    'dust as a real buyer',
    'real_buyers',
    ({ report }) => {
      report.real_buyers++
    },
  ],
  [
    'a price in no claim that would explain a payment',
    'flags.above_listing.tx',
    ({ inputs }) => (inputs.max_price = '12000000'),
  ],
  ['fees left out', 'fees_usd', ({ report }) => delete report.fees_usd],
  [
    'higher fees',
    'fees_usd',
    ({ report }) => {
      report.fees_usd = 0.5
    },
  ],
  [
    'the routed payment with its fee',
    'paid.median_passing',
    ({ report }) => {
      report.paid.median_passing = 1
    },
  ],
  [
    'a broader field of buyers',
    'effective_buyers',
    ({ report }) => {
      report.effective_buyers = 5.5
    },
  ],
  [
    'a buyer that paid too little before, as returning',
    'returning_buyers',
    ({ report }) => report.returning_buyers++,
  ],
  ['no returning buyer', 'returning_buyers', ({ report }) => (report.returning_buyers = 0)],
  [
    'the relay and its buyers not followed',
    'flags.circular.tx',
    ({ inputs }) => {
      for (const wallet of [RELAY, walletOf(0), walletOf(1)]) drop(inputs, 'followed_wallets', wallet)
    },
  ],
  ['followed wallets not stated', 'flags.circular.tx', ({ inputs }) => delete inputs.followed_wallets],
  [
    'a relay called a hub',
    'flags.funded_by_merchant.tx',
    ({ inputs }) => {
      inputs.hubs = [RELAY]
    },
  ],
  [
    'a buyer called a hub',
    'flags.circular.tx',
    ({ inputs }) => {
      inputs.hubs = [walletOf(1)]
    },
  ],
  [
    'a bank disclosed as its own',
    'flags.circular.tx',
    ({ inputs }) => {
      inputs.disclosed_wallets = [...inputs.disclosed_wallets, walletOf(8)].sort()
    },
  ],
  [
    'a disclosed wallet left out',
    'inputs.disclosed_wallets',
    ({ inputs }) => {
      inputs.disclosed_wallets = []
    },
  ],
  [
    'a listing that explains 12 dollars',
    'flags.above_listing.tx',
    ({ inputs }) => {
      inputs.listings[1].price = '12000000'
    },
  ],
  ['the dear listing left out', 'bazaar_listings.1.price_usd', ({ inputs }) => inputs.listings.pop()],
  [
    'all listings left out',
    'flags.above_listing.tx',
    ({ inputs }) => {
      inputs.listings = []
    },
  ],
  [
    'a cheaper listing, by which dust counts',
    'tx',
    ({ inputs }) => {
      inputs.listings[0].price = '100'
    },
  ],
  [
    'a metered listing',
    'inputs.floor',
    ({ inputs }) => {
      inputs.listings[0].schemes = ['upto']
    },
  ],
  [
    'a lower floor',
    'inputs.floor',
    ({ inputs }) => {
      inputs.floor = '1000'
    },
  ],
  [
    'fewer relays',
    'inputs.method.screens.circular.thresholds.most_relays',
    ({ inputs }) => {
      toScreen(inputs, 'circular').thresholds.most_relays = 1
    },
  ],
  ['another priority of screens', 'inputs.method.screens', ({ inputs }) => inputs.method.screens.reverse()],
  [
    'another proxy',
    'inputs.contracts.permit2_proxies',
    ({ inputs }) => {
      inputs.contracts.permit2_proxies = [BAR]
    },
  ],
  [
    'a payee excluded',
    'inputs.excluded_payees',
    ({ inputs }) => {
      inputs.excluded_payees = [BAR]
    },
  ],
  [
    'more payments to rank by',
    'inputs.rank.real_tx',
    ({ inputs }) => {
      inputs.rank.real_tx = 113
    },
  ],
  [
    'inputs of a window a block later',
    'inputs.window.end_block',
    ({ inputs }) => {
      inputs.window.end_block++
    },
  ],
  [
    'fewer payments of evidence stated',
    'inputs.evidence.payments',
    ({ inputs }) => {
      inputs.evidence.payments = 3
    },
  ],
  ['a circular payment passes', 'evidence.*.flag', ({ rows }) => setFlag(rows, 'circular', null)],
  [
    'a funded payment called circular',
    'evidence.*.flag',
    ({ rows }) => setFlag(rows, 'funded_by_merchant', 'circular'),
  ],
  ['an honest payment flagged', 'evidence.*.verdict', ({ rows }) => setFlag(rows, null, 'circular')],
  ['a routed fee left out', 'evidence.*.fee_usd', ({ rows }) => delete Object.assign(toRouted(rows)).fee_usd],
  [
    'a routed fee enlarged',
    'evidence.*.fee_usd',
    ({ rows }) => {
      Object.assign(toRouted(rows), { fee_usd: 0.02 })
    },
  ],
  [
    'a routed payment before its fee',
    'evidence.*.amount_usd',
    ({ rows }) => {
      Object.assign(toRouted(rows), { amount_usd: 1 })
    },
  ],
  [
    'the router as buyer',
    'evidence.*.buyer',
    ({ rows }) => {
      Object.assign(toRouted(rows), { buyer: BAR })
    },
  ],
  [
    'the place of the payment to the router',
    'evidence.*',
    ({ rows }) => {
      Object.assign(toRouted(rows), { log_index: 0 })
    },
  ],
  [
    'what was signed in place of what was settled',
    'evidence.*.amount_usd',
    ({ rows }) => {
      Object.assign(rows.at(-1) ?? {}, { amount_usd: 0.2 })
    },
  ],
  ['payers swapped', 'evidence.*.buyer', ({ rows }) => swap(rows, 'buyer')],
  ['transactions swapped', 'evidence.*.transaction', ({ rows }) => swap(rows, 'transaction')],
  ['times swapped', 'evidence.*.time', ({ rows }) => swap(rows, 'time')],
  ['payments in another order', 'evidence.order', ({ rows }) => rows.reverse()],
  [
    'dust left out',
    'evidence.*',
    ({ rows }) =>
      rows.splice(
        rows.findIndex((row) => row.amount_usd === 0.0001),
        1,
      ),
  ],
  ['half of the tiny payments left out', 'evidence.payments', ({ rows }) => rows.splice(10, 55)],
]

function rename(record: Record<string, unknown>, from: string, to: string): void {
  record[to] = record[from]
  delete record[from]
}

/** Moves flagged dollars to the real ones. */
function shift(report: Forgery['report'], kind: string, dollars: number): void {
  report.flags[kind].usd = addUsd(report.flags[kind].usd, dollars)
  report.real_usd = addUsd(report.real_usd, -dollars)
}

function drop(record: Record<string, string[]>, list: string, dropped: string): void {
  record[list] = (record[list] ?? []).filter((each) => each !== dropped)
}

function toScreen(inputs: Forgery['inputs'], name: string) {
  return inputs.method.screens.find(({ kind }: { readonly kind: string }) => kind === name)
}

function setFlag(rows: Forgery['rows'], from: string | null, to: string | null): void {
  const row = rows.find(({ flag }) => flag === from)
  Object.assign(row ?? {}, { flag: to, verdict: to === null ? 'passes' : 'flagged' })
}

/** The payment over a router. */
function toRouted(rows: Forgery['rows']): Forgery['rows'][number] {
  const row = rows.find((each) => each.amount_usd === 0.99)
  if (!row) throw new Error('no payment was routed')
  return row
}

/** Swaps a column of the first and the last row. */
function swap(rows: Forgery['rows'], column: 'buyer' | 'transaction' | 'time'): void {
  const [first, last] = [rows[0], rows.at(-1)]
  const before = first?.[column]
  Object.assign(first ?? {}, { [column]: last?.[column] })
  Object.assign(last ?? {}, { [column]: before })
}
