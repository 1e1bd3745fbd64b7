import assert from 'node:assert/strict'
import { addUsd, type Falsification, type Forgery } from './falsified-report.ts'
import { BAR, FACILITATOR, walletOf } from './paid-week.ts'

/** Falsifications of the shop's report of the paid week. */
export const FALSIFICATIONS: readonly Falsification[] = [
  ['more payments', 'tx', ({ report }) => report.tx++],
  ['more dollars', 'usd', ({ report }) => (report.usd = addUsd(report.usd, 0.01))],
  ['more real payments', 'real_tx', ({ report }) => report.real_tx++],
  ['more real dollars', 'real_usd', ({ report }) => (report.real_usd = addUsd(report.real_usd, 0.01))],
  ['more buyers', 'buyers', ({ report }) => report.buyers++],
  ['more real buyers', 'real_buyers', ({ report }) => report.real_buyers++],
  ['a smaller largest buyer', 'top_buyer_share', ({ report }) => (report.top_buyer_share = 0.0001)],
  ['fewer flagged payments', 'flags.tiny_repeat.tx', ({ report }) => report.flags.tiny_repeat.tx--],
  [
    'fewer flagged dollars',
    'flags.round_trip.usd',
    ({ report }) => (report.flags.round_trip.usd = addUsd(report.flags.round_trip.usd, -0.01)),
  ],
  [
    'a flag left out, its payments called real',
    'flags.round_trip.tx',
    ({ report, rows }) => {
      const { tx, usd } = report.flags.round_trip
      delete report.flags.round_trip
      report.real_tx += tx
      report.real_usd = addUsd(report.real_usd, usd)
      for (const row of rows)
        if (row.flag === 'round_trip') Object.assign(row, { flag: null, verdict: 'passes' })
    },
  ],
  [
    'a flag that no screen knows',
    'flags.bad_smell.tx',
    ({ report }) => {
      report.flags.bad_smell = { tx: 1, usd: 0.5 }
      report.real_tx--
      report.real_usd = addUsd(report.real_usd, -0.5)
    },
  ],
  ['another median', 'paid.median', ({ report }) => (report.paid.median = 0.004001)],
  ['another lower quartile', 'paid.p25', ({ report }) => (report.paid.p25 = 0.003)],
  ['another upper quartile', 'paid.p75', ({ report }) => (report.paid.p75 = 0.5)],
  ['another median of passing', 'paid.median_passing', ({ report }) => (report.paid.median_passing = 0.7)],
  ['a better day', 'daily.*.real_usd', ({ report }) => (report.daily[0].real_usd = 99)],
  ['a day less', 'daily.*.tx', ({ report }) => report.daily.pop()],
  [
    'blocks moved',
    'window.end_block',
    ({ report }) => {
      report.window.start_block--
      report.window.end_block--
    },
  ],
  ['one block less', 'window.start_block', ({ report }) => report.window.start_block++],
  [
    'times moved by a week',
    'window.end_block',
    ({ report }) => {
      report.window.start = toWeekBefore(report.window.start)
      report.window.end = toWeekBefore(report.window.end)
    },
  ],
  [
    'an end between two blocks',
    'window.end',
    ({ report }) => (report.window.end = '2026-11-02T03:04:05+00:00'),
  ],
  ['a day more', 'window.days', ({ report }) => (report.window.days = 8)],
  ['called incomplete', 'window.complete', ({ report }) => (report.window.complete = false)],
  ['another sentence', 'claim', ({ report }) => (report.claim = report.claim.replace('received', 'earned'))],
  ['seen later', 'last_seen_week', ({ report }) => (report.last_seen_week = '2099-01-04')],
  ['of another merchant', 'tx', ({ report, inputs }) => (report.address = inputs.address = BAR)],
  ['a rank that does not exist', 'rank_by_real_revenue', ({ report }) => (report.rank_by_real_revenue = 3)],
  ['unranked, yet paid', 'rank_by_real_revenue', ({ report }) => (report.rank_by_real_revenue = null)],
  ['from the future', 'generated_at', ({ report }) => (report.generated_at = '2099-01-01T00:00:00+00:00')],
  ['frozen within a week', 'frozen', ({ report }) => (report.frozen = 'no')],
  [
    'a week frozen, so that it has no rank',
    'frozen',
    ({ report }) => Object.assign(report, { frozen: true, rank_by_real_revenue: null }),
  ],
  ['another licence', 'license', ({ report }) => (report.license = 'https://a.example/')],
  ['a weaker note', 'flag_note', ({ report }) => (report.flag_note = 'All is well.')],
  ['a note without labels', 'exchange_flow_note', ({ report }) => (report.exchange_flow_note = null)],
  ['a field too many', 'score', ({ report }) => (report.score = 100)],
  ['a hidden field', '__proto__.tx', ({ report }) => hide(report)],
  ['a number as text', 'tx', ({ report }) => (report.tx = String(report.tx))],
  ['another order', 'order of fields', ({ report }) => report.daily.unshift(swap(report.daily.shift()))],
  ['a page elsewhere', 'page', ({ report }) => (report.page = `https://a.example/merchants/base/${BAR}`)],
  ['a badge elsewhere', 'badge', ({ report }) => (report.badge = 'https://a.example/badge.svg')],
  ['another name', 'name', ({ report }) => (report.name = 'bank.example')],
  [
    'a cheaper listing',
    'bazaar_listings.0.price_usd',
    ({ report }) => (report.bazaar_listings[0].price_usd = 0),
  ],
  [
    'a payment less in the evidence',
    'evidence.payments',
    ({ rows, inputs }) => {
      rows.pop()
      inputs.evidence.payments--
    },
  ],
  ['a payment twice in the evidence', 'evidence.order', ({ rows }) => rows.push(...rows.slice(-1))],
  ['a payment invented', 'evidence.3/900', ({ rows }) => rows.splice(1, 1, toInvented(rows))],
  ['a payment enlarged', 'evidence.*.amount_usd', ({ rows }) => change(rows, { amount_usd: 5 })],
  ['a flag taken off', 'evidence.*.flag', ({ rows }) => change(rows, { flag: null, verdict: 'passes' })],
  ['another buyer', 'evidence.*.buyer', ({ rows }) => change(rows, { buyer: BAR })],
  [
    'known facilitators left out of the inputs',
    'inputs.facilitators',
    ({ inputs }) => dropAddresses(inputs, (address) => address === FACILITATOR),
  ],
  [
    'a wallet disclosed by nobody',
    'inputs.disclosed_wallets',
    ({ inputs }) => (inputs.disclosed_wallets = [...inputs.disclosed_wallets, walletOf(1)].sort()),
  ],
  ['more effective buyers', 'effective_buyers', ({ report }) => report.effective_buyers++],
  ['effective buyers left out', 'effective_buyers', ({ report }) => delete report.effective_buyers],
  [
    'real dollars moved to another endpoint',
    'inferred_revenue.endpoints.0.real_usd',
    ({ report }) => report.inferred_revenue.endpoints[0].real_usd++,
  ],
  [
    'an amount attributed to nobody left out',
    'inferred_revenue.unattributed.usd',
    ({ report }) => delete report.inferred_revenue.unattributed.usd,
  ],
  [
    'revenue called that of another endpoint',
    'inferred_revenue.endpoints.0.resource',
    ({ report }) => (report.inferred_revenue.endpoints[0].resource = 'https://a.example/'),
  ],
  ['followed wallets left out', 'flags.tiny_repeat.tx', ({ inputs }) => (inputs.followed_wallets = [])],
  [
    'a listing cheaper than dust',
    'bazaar_listings.0.price_usd',
    ({ inputs }) => (inputs.listings[0].price = '1'),
  ],
  [
    'a highest price that nobody signed',
    'inputs.max_price',
    ({ report, inputs }) => {
      report.stated_max_price_usd = 9_000
      inputs.max_price = '9000000000'
    },
  ],
  [
    'another highest price on the report',
    'stated_max_price_usd',
    ({ report }) => (report.stated_max_price_usd = 1),
  ],
  [
    'a claim denied',
    'inputs.claimed',
    ({ report, inputs }) => (report.claimed = inputs.claimed = !inputs.claimed),
  ],
  [
    'a threshold moved',
    'inputs.method.screens.tiny_repeat.thresholds.fewest_payments',
    ({ inputs }) => (toScreen(inputs, 'tiny_repeat').thresholds.fewest_payments = 1_000),
  ],
  [
    'a screen left out',
    'inputs.method.screens',
    ({ inputs }) => (inputs.method.screens = inputs.method.screens.slice(1)),
  ],
  [
    'another chain',
    'inputs.chain.genesis_hash',
    ({ inputs }) => (inputs.chain.genesis_hash = `0x${'1'.repeat(64)}`),
  ],
  ['another token', 'inputs.contracts.usdc', ({ inputs }) => (inputs.contracts.usdc = BAR)],
  ['another payee rule', 'tx', ({ inputs }) => (inputs.listed_payees.has_merchant = false)],
  [
    'more revenue to rank by',
    'inputs.rank.real_amount',
    ({ inputs }) => (inputs.rank.real_amount = '99000000'),
  ],
  [
    'inputs of another report',
    'inputs.report.sha256',
    ({ inputs }) => (inputs.report.sha256 = '0'.repeat(64)),
  ],
]

function toWeekBefore(time: string): string {
  const before = new Date(Date.parse(time) - 604_800_000)
  return `${before.toISOString().slice(0, 19)}+00:00`
}

/** A field whose name a plain assignment would not create. */
function hide(report: object): void {
  Object.defineProperty(report, '__proto__', { value: { tx: 1 }, enumerable: true })
}

function swap({ date, tx, ...dollars }: Record<string, unknown>) {
  return { tx, date, ...dollars }
}

function toInvented([first]: Forgery['rows']): Forgery['rows'][number] {
  assert(first)
  return { ...first, block: 3, log_index: 900 }
}

/** Changes the first row that is flagged. */
function change(rows: Forgery['rows'], columns: Partial<Forgery['rows'][number]>): void {
  const flagged = rows.find(({ flag }) => flag !== null)
  assert(flagged)
  Object.assign(flagged, columns)
}

/** Removes facilitators from the inputs. */
export function dropAddresses(inputs: Forgery['inputs'], isKept: (address: string) => boolean): void {
  inputs.facilitators.addresses = inputs.facilitators.addresses.filter(isKept)
  inputs.excluded_payees = inputs.facilitators.addresses
}

function toScreen(inputs: Forgery['inputs'], name: string) {
  return inputs.method.screens.find(({ kind }: { readonly kind: string }) => kind === name)
}
