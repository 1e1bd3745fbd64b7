import { addUsd, excuse, type Falsification } from './falsified-report.ts'
import { BAR, walletOf } from './paid-week.ts'

/** Falsifications of the report of `apps/report/src/group-report.test.ts`. */
export const GROUP_FALSIFICATIONS: readonly Falsification[] = [
  ['a wallet left out', 'usd', (forgery) => setWallets(forgery, ([first]) => [first])],
  ['a wallet left out of the report', 'wallets.1', ({ report }) => report.wallets.pop()],
  ["a rival's wallet added", 'usd', (forgery) => setWallets(forgery, (own) => [...own, BAR])],
  ["a rival's wallet in place of its own", 'usd', (forgery) => setWallets(forgery, ([own]) => [own, BAR])],
  ['payments between its wallets called real', 'flags.self_pay.tx', (forgery) => excuse(forgery, 'self_pay')],
  ['returns by its other wallet denied', 'flags.round_trip.tx', (forgery) => excuse(forgery, 'round_trip')],
  [
    'a buyer that its other wallet funded called real',
    'flags.funded_by_merchant.tx',
    (forgery) => excuse(forgery, 'funded_by_merchant'),
  ],
  ['buyers added up over wallets', 'buyers', ({ report }) => (report.buyers = 5)],
  ['real dollars added up over wallets', 'real_usd', ({ report }) => (report.real_usd = 2.99)],
  ['more effective buyers', 'effective_buyers', ({ report }) => report.effective_buyers++],
  ['the rank of its wallet', 'ranking.rank', ({ report }) => (report.rank_by_real_revenue = 1)],
  ['a better day', 'daily.*.usd', ({ report }) => addToDays(report.daily)],
  [
    'another host',
    'ranking.rank',
    ({ report, inputs }) => (report.address = inputs.address = 'host:a.example'),
  ],
  ['relays not followed', 'flags.funded_by_merchant.tx', ({ inputs }) => (inputs.followed_wallets = [])],
  [
    'a wallet not disclosed to the screens',
    'inputs.disclosed_wallets',
    ({ inputs }) => inputs.disclosed_wallets.pop(),
  ],
  [
    'a buyer disclosed as its own',
    'flags.self_pay.tx',
    ({ inputs }) => (inputs.disclosed_wallets = [...inputs.disclosed_wallets, walletOf(1)].sort()),
  ],
  ['a listing left out', 'bazaar_listings.*.*', ({ inputs }) => inputs.listings.pop()],
  ['a dearer listing', 'bazaar_listings.*.*', ({ inputs }) => (inputs.listings[0].price = '9000')],
]

type Forgery = Parameters<Falsification[2]>[0]

function setWallets({ report, inputs }: Forgery, change: (wallets: readonly string[]) => unknown[]): void {
  inputs.wallets = change(inputs.wallets).sort()
  report.wallets = inputs.wallets
}

function addToDays(days: { usd: number }[]): void {
  for (const day of days) day.usd = addUsd(day.usd, 0.1)
}
