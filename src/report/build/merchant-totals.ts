import type { AtomicUsdc } from '../../money/usdc.ts'
import type { Address } from '../chain/payment.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { FlagFigures } from './figures.ts'
import { type Selection, whereVisible } from './visible-payments.ts'

export type MerchantTotals = {
  readonly address: Address
  readonly tx: number
  readonly amount: AtomicUsdc
  readonly realTx: number
  readonly realAmount: AtomicUsdc
  readonly buyers: number
  readonly realBuyers: number
  readonly topBuyerAmount: AtomicUsdc
  readonly flags: readonly FlagFigures[]
}

/** Counts, sums and flags of every merchant: payments are grouped into pairs, pairs are judged, then added up. */
export async function readMerchantTotals(
  ledger: Ledger,
  selection: Selection,
  signal: AbortSignal,
): Promise<readonly MerchantTotals[]> {
  const rows = await ledger.rows(totalsQuery(selection), signal)
  return rows.map((row) => toTotals(row, selection))
}

function totalsQuery(selection: Selection): string {
  const { screens, inputs } = selection.method
  const counts = screens.flatMap(({ sql }, at) => [
    `countIf(${sql.candidate}) AS tx_${at}`,
    `sumIf(amount, ${sql.candidate}) AS amount_${at}`,
  ])
  const pairs = `
    SELECT merchant_key, any(merchant) AS payee, any(buyer) AS payer,
      ${['count() AS tx_all', 'sum(amount) AS amount_all', ...counts].join(', ')}
    FROM ${selection.table} WHERE ${whereVisible(selection)}
    GROUP BY merchant_key, buyer_key`
  const firstFlag = screens.flatMap(({ sql }, at) => {
    const columns = { buyer: 'payer', merchant: 'payee', candidates: `tx_${at}` }
    return [sql.pair(columns, inputs), String(at + 1)]
  })
  // 0: no screen flags the pair; else the number of the first that does.
  const judged = `
    SELECT *, ${screens.length === 0 ? '0' : `multiIf(${[...firstFlag, '0'].join(', ')})`} AS flag_number
    FROM (${pairs})`
  const flaggedTx = screens.map((_, at) => `sumIf(tx_${at}, flag_number = ${at + 1})`)
  const flaggedAmounts = screens.map((_, at) => `sumIf(amount_${at}, flag_number = ${at + 1})`)
  const unreal = screens.map((_, at) => `(flag_number = ${at + 1} AND tx_${at} = tx_all)`).join(' OR ')
  return `
    SELECT lower(hex(any(payee))), sum(tx_all), sum(amount_all), count(),
      ${unreal === '' ? 'count()' : `countIf(NOT (${unreal}))`}, max(amount_all)
      ${[...flaggedTx, ...flaggedAmounts].map((each) => `, ${each}`).join('')}
    FROM (${judged}) GROUP BY merchant_key`
}

function toTotals(row: readonly string[], { method }: Selection): MerchantTotals {
  const [address = '', tx, amount = '0', buyers, realBuyers, topBuyerAmount = '0', ...flagged] = row
  const flags = method.screens
    .map(({ kind }, at) => ({
      kind,
      tx: Number(flagged[at]),
      amount: BigInt(flagged[method.screens.length + at] ?? '0'),
    }))
    .filter((flag) => flag.tx > 0)
  return {
    address: `0x${address}`,
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
