import type { MerchantFigures } from '@tollbook/verify/build/figures'
import { toEarlier } from '@tollbook/verify/build/window'
import type { Ledger } from '../ledger/ledger.ts'
import { toCountedCondition } from '../screen/counted-condition.ts'
import { isCandidate, isPairFlagged, isWhole } from './flagged-pairs.ts'
import { type Selection, whereVisible } from './visible-payments.ts'

type MerchantTotals = Omit<
  MerchantFigures,
  'address' | 'rank' | 'floor' | 'paid' | 'byPrice' | 'daily' | 'exchangeFlowNote'
>

/** The SQL of a condition that nothing meets. */
const NONE = '0'

/** Counts, sums and flags of every merchant, by the ledger's key of its wallet; screens pairs first. */
export async function readMerchantTotals(
  ledger: Ledger,
  selection: Selection,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, MerchantTotals>> {
  const rows = await ledger.rows(totalsQuery(selection), signal)
  return new Map(rows.map(([key = '', ...row]) => [key, toTotals(row, selection)]))
}

function totalsQuery(selection: Selection): string {
  const { method, dialect } = selection
  const { screens } = method
  const isCounted = toCountedCondition(method.inputs, dialect)
  const from = `FROM ${selection.table} WHERE ${whereVisible(selection)}`
  const grouped = `
    SELECT merchant_key, buyer_key, countIf(${isCounted}) AS tx_all, sum(amount) AS amount_all, sum(fee) AS fee_all
    ${from} GROUP BY merchant_key, buyer_key`
  const parts = screens.flatMap((screen, at) => {
    const candidate = isWhole(screen) ? NONE : isCandidate(selection, screen)
    return candidate === NONE ? [] : [{ at, candidate }]
  })
  // Few payments are candidates: finding them apart is cheaper than columns for them in a million pairs.
  const found = parts.map(({ at, candidate }, index) => {
    const isOwn = ['1', ...parts.slice(0, index).map((earlier) => `NOT ${earlier.candidate}`)].join(' AND ')
    const counts = ['count()', 'countIf(is_own AND is_counted)', 'sumIf(amount, is_own)']
    const columns = parts.flatMap((part) => (part.at === at ? counts : counts.map(() => 'toUInt64(0)')))
    const named = columns.map((column, place) => `${column} AS part_${place}`)
    return `SELECT merchant_key, buyer_key, ${named.join(', ')}
      FROM (SELECT merchant_key, buyer_key, amount, ${isOwn} AS is_own, ${isCounted} AS is_counted ${from} AND ${candidate})
      GROUP BY merchant_key, buyer_key`
  })
  const ofParts = parts.flatMap(({ at }, index) =>
    ['candidates', 'tx', 'amount'].map(
      (name, place) => `sum(part_${3 * index + place}) AS part_${name}_${at}`,
    ),
  )
  const joined = parts.flatMap(({ at }) =>
    ['candidates', 'tx', 'amount'].map((name) => `coalesce(part_${name}_${at}, 0) AS ${name}_${at}`),
  )
  const pairs =
    parts.length === 0
      ? grouped
      : `SELECT merchant_key, buyer_key, tx_all, amount_all, fee_all, ${joined.join(', ')}
        FROM (${grouped}) AS all_pairs ${dialect.leftJoin} (SELECT merchant_key, buyer_key, ${ofParts.join(', ')}
        FROM (${found.join(' UNION ALL ')}) GROUP BY merchant_key, buyer_key) AS with_parts USING (merchant_key, buyer_key)`
  const conditions = screens.map((screen, at) => isPairFlagged(selection, screen, `candidates_${at}`))
  const firstFlag = screens.flatMap((screen, at) =>
    isWhole(screen) && conditions[at] !== NONE ? [`WHEN ${conditions[at]} THEN ${at + 1}`] : [],
  )
  // 0 if no screen flags the whole pair; otherwise the number of the first screen that does.
  const judged = `
    SELECT *, ${firstFlag.length === 0 ? '0' : `CASE ${firstFlag.join(' ')} ELSE 0 END`} AS flag_number
    FROM (${pairs})`
  const flaggedIn = (name: 'tx' | 'amount') =>
    screens.map((screen, at) => {
      if (isWhole(screen)) return `if(flag_number = ${at + 1}, ${name}_all, 0)`
      const isPart = parts.some((part) => part.at === at)
      return isPart ? `if(flag_number = 0 AND ${conditions[at]}, ${name}_${at}, 0)` : '0'
    })
  const isReal = `tx_all > ${['0', ...flaggedIn('tx')].join(' + ')}`
  const earlier = toEarlier(selection.window)
  const isReturning = earlier
    ? `(merchant_key, buyer_key) ${dialect.isIn} (SELECT merchant_key, buyer_key FROM ${selection.table}
        WHERE ${whereVisible({ ...selection, window: earlier })} AND ${isCounted})`
    : '0'
  return `
    SELECT toString(merchant_key), sum(tx_all), sum(amount_all), countIf(tx_all > 0),
      countIf(${isReal}), max(amount_all), sum(fee_all), sum(toDecimal128(amount_all, 0) * toDecimal128(amount_all, 0)),
      countIf(${isReal} AND ${isReturning})
      ${[...flaggedIn('tx'), ...flaggedIn('amount')].map((each) => `, sum(${each})`).join('')}
    FROM (${judged}) GROUP BY merchant_key`
}

function toTotals(row: readonly string[], { method, window }: Selection): MerchantTotals {
  const [tx, amount = '0', buyers, realBuyers, topBuyerAmount = '0', fees = '0', squares = '0', ...others] =
    row
  const [returningBuyers, ...flagged] = others
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
    ...(toEarlier(window) && { returningBuyers: Number(returningBuyers) }),
    flags,
  }
}
