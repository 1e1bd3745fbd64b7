import { CONTRACTS } from '@tollbook/chain/contracts'
import { addUsd, type Falsification, type Forgery } from './falsified-report.ts'
import { FACILITATOR, walletOf } from './paid-week.ts'

/** Falsifications of the shop's report of the week of channels and captures. */
export const CHANNEL_FALSIFICATIONS: readonly Falsification[] = [
  ['a deposit counted as revenue', 'tx', ({ report }) => add(report, 1, 0.05)],
  ['a settlement counted with its claims', 'usd', ({ report }) => add(report, 1, 0.03)],
  ['a refund taken off the revenue', 'usd', ({ report }) => add(report, 0, -0.01)],
  ['the claim of another receiver counted', 'tx', ({ report }) => add(report, 1, 0.01)],
  ['a claim after the week counted', 'tx', ({ report }) => add(report, 1, 0)],
  ['channels left out', 'tx', ({ report }) => add(report, -4, -0.03)],
  ['a payer of channels left out', 'buyers', ({ report }) => report.buyers--],
  [
    'the payer of a claim swapped',
    'evidence.*.buyer',
    ({ rows }) => Object.assign(toClaim(rows, 0.012), { buyer: walletOf(2) }),
  ],
  [
    'the escrow as the payer',
    'evidence.*.buyer',
    ({ rows }) => Object.assign(toClaim(rows, 0.012), { buyer: CONTRACTS.channelEscrow.toLowerCase() }),
  ],
  [
    'the sum of the channel in place of the claim',
    'evidence.*.amount_usd',
    ({ rows }) => Object.assign(toClaim(rows, 0.008), { amount_usd: 0.02 }),
  ],
  [
    'two claims as one',
    'evidence.*',
    ({ rows }) => {
      Object.assign(toClaim(rows, 0.012), { amount_usd: 0.02 })
      rows.splice(rows.indexOf(toClaim(rows, 0.008)), 1)
    },
  ],
  [
    'a claim at the place of another event',
    'evidence.*',
    ({ rows }) => Object.assign(toClaim(rows, 0.005), { log_index: 77 }),
  ],
  [
    'a claim of a channel from before the week left out',
    'evidence.*',
    ({ rows }) => rows.splice(rows.indexOf(toClaim(rows, 0.009)), 1),
  ],
  ['an authorization counted as revenue', 'tx', ({ report }) => add(report, 1, 0.8)],
  ['what was voided counted as revenue', 'usd', ({ report }) => add(report, 1, 0.3)],
  ['captures left out', 'usd', ({ report }) => add(report, -3, -0.79)],
  ['the fee of captures counted as revenue', 'usd', ({ report }) => add(report, 0, 0.01)],
  ['fees of captures denied', 'fees_usd', ({ report }) => delete report.fees_usd],
  [
    'a capture before its fee',
    'evidence.*.amount_usd',
    ({ rows }) => Object.assign(toClaim(rows, 0.39), { amount_usd: 0.4 }),
  ],
  [
    'a fee of a capture enlarged',
    'evidence.*.fee_usd',
    ({ rows }) => Object.assign(toClaim(rows, 0.39), { fee_usd: 0.02 }),
  ],
  [
    'the operator as the payer of a capture',
    'evidence.*.buyer',
    ({ rows }) => Object.assign(toClaim(rows, 0.1), { buyer: FACILITATOR }),
  ],
  [
    'the payers of a capture and a charge swapped',
    'evidence.*.buyer',
    ({ rows }) => {
      const [captured, charged] = [toClaim(rows, 0.39), toClaim(rows, 0.297)]
      const { buyer } = captured
      Object.assign(captured, { buyer: charged.buyer })
      Object.assign(charged, { buyer })
    },
  ],
  [
    'two captures as one',
    'evidence.*',
    ({ rows }) => {
      Object.assign(toClaim(rows, 0.39), { amount_usd: 0.49 })
      rows.splice(rows.indexOf(toClaim(rows, 0.1)), 1)
    },
  ],
  [
    'a charge at the place of its transfer',
    'evidence.*',
    ({ rows }) => {
      const row = toClaim(rows, 0.297)
      Object.assign(row, { log_index: row.log_index + 1 })
    },
  ],
]

/** Adds payments that pass every screen to the sums of a report. */
function add(report: Forgery['report'], tx: number, usd: number): void {
  report.tx += tx
  report.real_tx += tx
  report.usd = addUsd(report.usd, usd)
  report.real_usd = addUsd(report.real_usd, usd)
}

function toClaim(rows: Forgery['rows'], usd: number): Forgery['rows'][number] {
  const row = rows.find(({ amount_usd }) => amount_usd === usd)
  if (!row) throw new Error(`no claim of ${usd} dollars`)
  return row
}
