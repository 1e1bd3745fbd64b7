import type { Address } from '@tollbook/chain/hex'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { Window } from '@tollbook/verify/build/window'
import { toEarlier } from '@tollbook/verify/build/window'
import { SUFFICIENT_EVIDENCE } from '@tollbook/verify/chain/payment-rule'
import { limitFloor, type PaidBelow } from '@tollbook/verify/screen/counting-floor'
import type { Ledger } from '../ledger/ledger.ts'
import { toCountedCondition } from '../screen/counted-condition.ts'
import { type Method, type Selection, whereVisible } from './visible-payments.ts'

type Visible = Pick<Selection, 'coverage' | 'method'> & { readonly window: Window }

/** A merchant that was paid in a window, with what its payments have in common. */
export type PaidMerchant = {
  readonly address: Address
  readonly min: AtomicUsdc
  readonly max: AtomicUsdc
  /** Whether some of its payments count only because a listing names it. */
  readonly needsListing: boolean
  /** In the window alone. */
  readonly paid: PaidBelow
}

/** Every merchant that was paid in a window, with its payments there and in the week before that the figures use. */
export async function readMerchants(
  ledger: Ledger,
  selection: Visible,
  signal: AbortSignal,
): Promise<readonly PaidMerchant[]> {
  const { start, end } = selection.window
  const window = { start: toEarlier(selection.window)?.start ?? start, end }
  const rows = await ledger.rows(
    `SELECT lower(hex(${ledger.dialect.anyOf('merchant')})), min(amount), max(amount), max(toUInt8(bitAnd(evidence, ${SUFFICIENT_EVIDENCE}) = 0)),
      sumIf(amount, ts >= ${start}), sumIf(amount, ts >= ${start} AND NOT (${toCountedCondition(selection.method.inputs, ledger.dialect)}))
    FROM ${ledger.table} WHERE ${whereVisible({ ...selection, window })} GROUP BY merchant_key HAVING max(ts) >= ${start}`,
    signal,
  )
  return rows.map(([merchant, min = '0', max = '0', needsListing, sum = '0', below = '0']) => ({
    address: `0x${merchant}`,
    min: BigInt(min),
    max: BigInt(max),
    needsListing: needsListing === '1',
    paid: { sum: BigInt(sum), below: BigInt(below) },
  }))
}

/** The method with the floors that the payments of these merchants bear out, see `limitFloor`. */
export function limitFloors(method: Method, merchants: readonly PaidMerchant[]): Method {
  const listedPrices = new Map(method.inputs.listedPrices)
  for (const { address, paid } of merchants) {
    const prices = listedPrices.get(address)
    if (prices) listedPrices.set(address, limitFloor(prices, paid))
  }
  return { ...method, inputs: { ...method.inputs, listedPrices } }
}

/** The method without listings that decide nothing about these merchants: they would only slow every statement down. */
export function narrowMethod(method: Method, merchants: readonly PaidMerchant[]): Method {
  const { inputs } = method
  const listedPrices = new Map(
    merchants.flatMap(({ address, min, max }) => {
      const prices = inputs.listedPrices.get(address)
      return prices ? [[address, { ...prices, paid: { min, max } }] as const] : []
    }),
  )
  const needed = merchants.filter(
    ({ address, needsListing }) => needsListing && method.listedPayees.has(address),
  )
  return {
    ...method,
    inputs: { ...inputs, listedPrices },
    listedPayees: new Set(needed.map(({ address }) => address)),
  }
}

/** The buyers that paid most in a window, to all merchants together, in descending order. */
export async function readLargestBuyers(
  ledger: Ledger,
  selection: Visible & { readonly max: number },
  signal: AbortSignal,
): Promise<readonly Address[]> {
  const rows = await ledger.rows(
    `SELECT lower(hex(${ledger.dialect.anyOf('buyer')})) AS wallet, sum(amount) AS paid_sum FROM ${ledger.table}
    WHERE ${whereVisible(selection)} GROUP BY buyer_key ORDER BY paid_sum DESC, wallet LIMIT ${selection.max}`,
    signal,
  )
  return rows.map(([buyer]): Address => `0x${buyer}`)
}
