import type { Address } from '@tollbook/chain/hex'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { Payment } from '../chain/payment.ts'
import { toUtcDate } from './compose-report.ts'
import type { DayFigures, MerchantFigures, PriceFigures } from './figures.ts'

const DAY_SECONDS = 86_400

/** A payment of the window, and the kind of flag under which it counts; null when it passes every screen. */
export type FlaggedPayment = Pick<Payment, 'buyer' | 'amount' | 'fee' | 'timestamp'> & {
  readonly flag: string | null
}

/**
 * Computes the figures of one merchant in memory from all of its payments in a window. Equivalent to the SQL
 * over the ledger, for callers that have one merchant's payments and no ledger. `rank` is null: it depends on
 * every merchant.
 * @param kinds every kind of flag by priority
 * @param floor the amount from which on payments are counted
 * @param unique prices that only one endpoint has, ascending
 * @param earlier buyers with a counted payment in the seven days before the window; absent: unknown
 */
export function addUpFigures(
  address: Address,
  payments: readonly FlaggedPayment[],
  {
    kinds,
    floor,
    unique,
    earlier,
  }: {
    readonly kinds: readonly string[]
    readonly floor: AtomicUsdc
    readonly unique: readonly AtomicUsdc[]
    readonly earlier?: ReadonlySet<Address> | null | undefined
  },
): MerchantFigures {
  const passing = payments.filter(({ flag }) => flag === null)
  const counted = payments.filter(({ amount }) => amount >= floor)
  const countedPassing = counted.filter(({ flag }) => flag === null)
  const amounts = countAmounts(counted)
  const byBuyer = Map.groupBy(payments, ({ buyer }) => buyer)
  const sums = [...byBuyer.values()].map(total)
  const fees = payments.reduce((sum, { fee = 0n }) => sum + fee, 0n)
  const byPrice = toPriceFigures(counted, unique)
  const realBuyers = new Set(countedPassing.map(({ buyer }) => buyer))
  const byFlag = Map.groupBy(payments, ({ flag }) => flag)
  return {
    address,
    rank: null,
    tx: counted.length,
    amount: total(payments),
    realTx: countedPassing.length,
    realAmount: total(passing),
    ...(fees > 0n && { fees }),
    buyers: new Set(counted.map(({ buyer }) => buyer)).size,
    realBuyers: realBuyers.size,
    ...(earlier && { returningBuyers: [...realBuyers].filter((buyer) => earlier.has(buyer)).length }),
    floor,
    topBuyerAmount: sums.reduce(larger, 0n),
    buyerSquares: sums.reduce((squares, sum) => squares + sum * sum, 0n),
    flags: kinds.flatMap((kind) => {
      const flagged = byFlag.get(kind)
      const tx = flagged?.filter(({ amount }) => amount >= floor).length ?? 0
      return flagged ? [{ kind, tx, amount: total(flagged) }] : []
    }),
    paid: {
      p25: atShare(amounts, 25),
      median: atShare(amounts, 50),
      p75: atShare(amounts, 75),
      medianPassing: atShare(countAmounts(countedPassing), 50),
    },
    ...(byPrice.length > 0 && { byPrice }),
    daily: toDaily(payments, floor),
  }
}

function toPriceFigures(
  counted: readonly FlaggedPayment[],
  unique: readonly AtomicUsdc[],
): readonly PriceFigures[] {
  const byAmount = Map.groupBy(counted, ({ amount }) => amount)
  return unique.flatMap((price) => {
    const own = byAmount.get(price)
    const realTx = own?.filter(({ flag }) => flag === null).length ?? 0
    return own ? [{ price, tx: own.length, realTx }] : []
  })
}

function toDaily(payments: readonly FlaggedPayment[], floor: AtomicUsdc): readonly DayFigures[] {
  const byDay = Map.groupBy(payments, ({ timestamp }) => Math.floor(timestamp / DAY_SECONDS))
  return [...byDay.keys()]
    .sort((a, b) => a - b)
    .map((day) => {
      const ofDay = byDay.get(day) ?? []
      const realAmount = total(ofDay.filter(({ flag }) => flag === null))
      const tx = ofDay.filter(({ amount }) => amount >= floor).length
      return { date: toUtcDate(day * DAY_SECONDS), tx, amount: total(ofDay), realAmount }
    })
}

/** The smallest amount at or below which that percent of the payments lies (nearest rank); 0 for none. */
function atShare(amounts: AmountCounts, percent: number): AtomicUsdc {
  let left = Math.ceil((amounts.payments * percent) / 100)
  for (const [amount, count] of amounts.ascending) {
    left -= count
    if (left <= 0) return amount
  }
  return 0n
}

type AmountCounts = {
  readonly payments: number
  /** Each distinct amount with its number of payments. */
  readonly ascending: readonly (readonly [AtomicUsdc, number])[]
}

/** Prices repeat: sorting the few distinct amounts takes a tenth of the time. */
function countAmounts(payments: readonly FlaggedPayment[]): AmountCounts {
  const counts = new Map<AtomicUsdc, number>()
  for (const { amount } of payments) counts.set(amount, (counts.get(amount) ?? 0) + 1)
  const ascending = [...counts].sort(([a], [b]) => (a < b ? -1 : 1))
  return { payments: payments.length, ascending }
}

function total(payments: readonly Pick<Payment, 'amount'>[]): AtomicUsdc {
  return payments.reduce((sum, { amount }) => sum + amount, 0n)
}

function larger(a: AtomicUsdc, b: AtomicUsdc): AtomicUsdc {
  return a > b ? a : b
}
