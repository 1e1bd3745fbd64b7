import type { Address } from '../../chain/hex.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type Selection, whereVisible } from './visible-payments.ts'

type Visible = Pick<Selection, 'coverage' | 'window' | 'method'>

/** Every merchant that was paid in a window. */
export async function readMerchants(
  ledger: Ledger,
  selection: Visible,
  signal: AbortSignal,
): Promise<readonly Address[]> {
  const rows = await ledger.rows(
    `SELECT lower(hex(any(merchant))) FROM ${ledger.table} WHERE ${whereVisible(selection)} GROUP BY merchant_key`,
    signal,
  )
  return rows.map(([merchant]): Address => `0x${merchant}`)
}

/** The buyers that paid most in a window, to all merchants together, in descending order. */
export async function readLargestBuyers(
  ledger: Ledger,
  selection: Visible & { readonly max: number },
  signal: AbortSignal,
): Promise<readonly Address[]> {
  const rows = await ledger.rows(
    `SELECT lower(hex(any(buyer))) AS wallet, sum(amount) AS paid_sum FROM ${ledger.table}
    WHERE ${whereVisible(selection)} GROUP BY buyer_key ORDER BY paid_sum DESC, wallet LIMIT ${selection.max}`,
    signal,
  )
  return rows.map(([buyer]): Address => `0x${buyer}`)
}
