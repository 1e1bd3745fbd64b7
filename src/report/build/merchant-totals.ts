import type { AtomicUsdc } from '../../money/usdc.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Screen } from '../screen/screen.ts'
import type { FlagFigures } from './figures.ts'
import { isFlaggedByCount, isFlaggedByWallets, selectFlaggedPairs } from './flagged-pairs.ts'
import { type Selection, whereVisible } from './visible-payments.ts'

export type MerchantTotals = {
  readonly tx: number
  readonly amount: AtomicUsdc
  readonly realTx: number
  readonly realAmount: AtomicUsdc
  readonly buyers: number
  readonly realBuyers: number
  readonly topBuyerAmount: AtomicUsdc
  readonly flags: readonly FlagFigures[]
}

/** The SQL of a screen for which every payment is a candidate. */
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
  const { screens } = selection.method
  // Wallets are compared per payment: carrying addresses through a million pairs takes three times as long.
  const ofPairs = screens.flatMap((screen, at) => [
    ...(screen.sql.candidate === ALL
      ? []
      : [
          `countIf(${screen.sql.candidate}) AS tx_${at}`,
          `sumIf(amount, ${screen.sql.candidate}) AS amount_${at}`,
        ]),
    ...(screen.sql.basis === 'wallets'
      ? [`max(${isFlaggedByWallets(selection, screen)}) AS is_flagged_${at}`]
      : []),
  ])
  const pairs = `
    SELECT merchant_key, buyer_key, ${['count() AS tx_all', 'sum(amount) AS amount_all', ...ofPairs].join(', ')}
    FROM ${selection.table} WHERE ${whereVisible(selection)} GROUP BY merchant_key, buyer_key`
  const firstFlag = screens.flatMap((screen, at) => [isFlagged(selection, screen, at), String(at + 1)])
  // 0 if no screen flags the pair; otherwise the number of the first screen that does.
  const judged = `
    SELECT *, ${screens.length === 0 ? '0' : `multiIf(${[...firstFlag, '0'].join(', ')})`} AS flag_number
    FROM (${pairs})`
  const columnOf = (name: 'tx' | 'amount', at: number) =>
    screens.at(at)?.sql.candidate === ALL ? `${name}_all` : `${name}_${at}`
  const flaggedTx = screens.map((_, at) => `sumIf(${columnOf('tx', at)}, flag_number = ${at + 1})`)
  const flaggedAmounts = screens.map((_, at) => `sumIf(${columnOf('amount', at)}, flag_number = ${at + 1})`)
  const unreal = screens
    .map((_, at) => `(flag_number = ${at + 1} AND ${columnOf('tx', at)} = tx_all)`)
    .join(' OR ')
  return `
    SELECT toString(merchant_key), sum(tx_all), sum(amount_all), count(),
      ${unreal === '' ? 'count()' : `countIf(NOT (${unreal}))`}, max(amount_all)
      ${[...flaggedTx, ...flaggedAmounts].map((each) => `, ${each}`).join('')}
    FROM (${judged}) GROUP BY merchant_key`
}

/** Whether the screen with this index flags a pair, over the columns of the pairs. */
function isFlagged(selection: Selection, screen: Screen, at: number): string {
  switch (screen.sql.basis) {
    case 'wallets':
      return `is_flagged_${at} = 1`
    case 'candidates':
      return isFlaggedByCount(selection, screen, `tx_${at}`)
    case 'sums':
      return `(merchant_key, buyer_key) GLOBAL IN (${selectFlaggedPairs(selection, screen)})`
  }
}

function toTotals(row: readonly string[], { method }: Selection): MerchantTotals {
  const [tx, amount = '0', buyers, realBuyers, topBuyerAmount = '0', ...flagged] = row
  const flags = method.screens
    .map(({ kind }, at) => ({
      kind,
      tx: Number(flagged[at]),
      amount: BigInt(flagged[method.screens.length + at] ?? '0'),
    }))
    .filter((flag) => flag.tx > 0)
  return {
    tx: Number(tx),
    amount: BigInt(amount),
    realTx: flags.reduce((rest, flag) => rest - flag.tx, Number(tx)),
    realAmount: flags.reduce((rest, flag) => rest - flag.amount, BigInt(amount)),
    buyers: Number(buyers),
    realBuyers: Number(realBuyers),
    topBuyerAmount: BigInt(topBuyerAmount),
    flags,
  }
}
