import type { AtomicUsdc } from '../../money/usdc.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { toCountedCondition } from '../screen/counting-floor.ts'
import type { Screen } from '../screen/screen.ts'
import type { FlagFigures } from './figures.ts'
import { isFlaggedByCount, isFlaggedByWallets, selectFlaggedPairs } from './flagged-pairs.ts'
import { type Selection, whereVisible } from './visible-payments.ts'
import { toScreened } from './window.ts'

export type MerchantTotals = {
  readonly tx: number
  readonly amount: AtomicUsdc
  readonly realTx: number
  readonly realAmount: AtomicUsdc
  readonly fees?: AtomicUsdc
  readonly buyers: number
  readonly realBuyers: number
  readonly topBuyerAmount: AtomicUsdc
  readonly buyerSquares: bigint
  readonly flags: readonly FlagFigures[]
}

/** The SQL of a screen for which every payment is a candidate, or which flags every candidate. */
const ALL = '1'

/**
 * Counts, sums and flags of every merchant, keyed by the ledger's key of its wallet: groups payments into
 * pairs, screens the pairs, then adds them up.
 */
export async function readMerchantTotals(
  ledger: Ledger,
  selection: Selection,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, MerchantTotals>> {
  const rows = await ledger.rows(totalsQuery(selection), signal)
  return new Map(rows.map(([key = '', ...row]) => [key, toTotals(row, selection)]))
}

function totalsQuery(selection: Selection): string {
  const { screens, inputs } = selection.method
  const isCounted = toCountedCondition(inputs)
  const whole = screens.flatMap((screen, at) => (isWhole(selection, screen) ? [at] : []))
  const parts = screens.flatMap((screen, at) => (isWhole(selection, screen) ? [] : [at]))
  // Wallets are compared per payment: carrying addresses through a million pairs takes three times as long.
  const ofPairs = screens.flatMap((screen, at) => [
    ...(screen.sql.basis === 'wallets'
      ? [`max(${isFlaggedByWallets(selection, screen)}) AS is_flagged_${at}`]
      : []),
    ...(whole.includes(at)
      ? []
      : [
          `countIf(is_candidate_${at}) AS candidates_${at}`,
          `countIf(${ownOf(parts, at)} AND is_counted) AS tx_${at}`,
          `sumIf(amount, ${ownOf(parts, at)}) AS amount_${at}`,
        ]),
  ])
  // Each condition may hold thousands of literals, and appears once.
  const candidates = parts.map((at) => `, ${screens[at]?.sql.candidate(inputs)} AS is_candidate_${at}`)
  const pairs = `
    SELECT merchant_key, buyer_key, ${['countIf(is_counted) AS tx_all', 'sum(amount) AS amount_all', 'sum(fee) AS fee_all', ...ofPairs].join(', ')}
    FROM (SELECT *, merchant_key, buyer_key, ${isCounted} AS is_counted${candidates.join('')} FROM ${selection.table}
      WHERE ${whereVisible(selection)}) GROUP BY merchant_key, buyer_key`
  const firstFlag = whole.flatMap((at) => [isFlagged(selection, at), String(at + 1)])
  // 0 if no screen flags the whole pair; otherwise the number of the first screen that does.
  const judged = `
    SELECT *, ${whole.length === 0 ? '0' : `multiIf(${[...firstFlag, '0'].join(', ')})`} AS flag_number
    FROM (${pairs})`
  const flaggedIn = (name: 'tx' | 'amount', at: number) =>
    whole.includes(at)
      ? `if(flag_number = ${at + 1}, ${name}_all, 0)`
      : `if(flag_number = 0 AND ${isFlagged(selection, at)}, ${name}_${at}, 0)`
  const flaggedTx = screens.map((_, at) => flaggedIn('tx', at))
  const flaggedAmounts = screens.map((_, at) => flaggedIn('amount', at))
  const unreal = ['0', ...whole.map((at) => flaggedIn('tx', at)), ...parts.map((at) => flaggedIn('tx', at))]
  return `
    SELECT toString(merchant_key), sum(tx_all), sum(amount_all), countIf(tx_all > 0),
      countIf(tx_all > ${unreal.join(' + ')}), max(amount_all), sum(fee_all), sum(toDecimal128(amount_all, 0) * toDecimal128(amount_all, 0))
      ${[...flaggedTx, ...flaggedAmounts].map((each) => `, sum(${each})`).join('')}
    FROM (${judged}) GROUP BY merchant_key`
}

function isWhole({ method }: Selection, { sql }: Screen): boolean {
  return sql.candidate(method.inputs) === ALL
}

/** The condition that a payment is a candidate of this screen, and of none before it that flags every candidate. */
function ownOf(parts: readonly number[], at: number): string {
  const earlier = parts.filter((part) => part < at).map((part) => ` AND NOT is_candidate_${part}`)
  return `is_candidate_${at}${earlier.join('')}`
}

/** Whether the screen with this index flags a pair, over the columns of the pairs. */
function isFlagged(selection: Selection, at: number): string {
  const screen = selection.method.screens[at]
  if (!screen) return '0'
  switch (screen.sql.basis) {
    case 'wallets':
      return `is_flagged_${at} = 1`
    case 'candidates':
      // The pair's candidates in a shorter window are not all that the screen counts.
      if (toScreened(selection.window).start < selection.window.start) break
      return `(candidates_${at} > 0 AND ${isFlaggedByCount(selection, screen, `candidates_${at}`)})`
    case 'sums':
      break
  }
  return `(merchant_key, buyer_key) GLOBAL IN (${selectFlaggedPairs(selection, screen)})`
}

function toTotals(row: readonly string[], { method }: Selection): MerchantTotals {
  const [tx, amount = '0', buyers, realBuyers, topBuyerAmount = '0', fees = '0', squares = '0', ...flagged] =
    row
  const flags = method.screens
    .map(({ kind }, at) => ({
      kind,
      tx: Number(flagged[at]),
      amount: BigInt(flagged[method.screens.length + at] ?? '0'),
    }))
    .filter((flag) => flag.amount > 0n)
  return {
    tx: Number(tx),
    amount: BigInt(amount),
    realTx: flags.reduce((rest, flag) => rest - flag.tx, Number(tx)),
    realAmount: flags.reduce((rest, flag) => rest - flag.amount, BigInt(amount)),
    ...(fees !== '0' && { fees: BigInt(fees) }),
    buyers: Number(buyers),
    realBuyers: Number(realBuyers),
    topBuyerAmount: BigInt(topBuyerAmount),
    buyerSquares: BigInt(squares),
    flags,
  }
}
