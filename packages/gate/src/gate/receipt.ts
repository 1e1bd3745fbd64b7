import type { Address, Hex } from '@tollbook/chain/hex'
import type { CallState } from '../state/payment-tables.ts'
import type { State } from '../state/state.ts'

/** What a payer, or anyone with the id, may read about a call: apart from the endpoint, only what the chain shows. */
export type Receipt = {
  readonly id: string
  readonly state: CallState
  readonly service: string
  readonly endpoint: string
  /** The URL under which it was offered; null if it was not recorded. */
  readonly resourceUrl: string | null
  readonly scheme: 'exact' | 'upto' | 'batch-settlement'
  readonly network: string
  readonly asset: Address
  readonly payer: Address
  readonly payTo: Address
  /** The signed micro-USDC; the maximum under `upto`. */
  readonly signedAmount: string
  /** The micro-USDC that were or will be charged; null while unknown. */
  readonly amount: string | null
  readonly transaction: Hex | null
  readonly reason: string | null
  readonly reservedAt: string
  readonly settledAt: string | null
}

/** Reads the receipt of a call by its id, a keyed hash that nobody can guess. */
export async function findReceipt(state: State, id: string): Promise<Receipt | null> {
  const row = await state.db
    .selectFrom('paid_call')
    .select(['id', 'state', 'service', 'endpoint', 'scheme', 'network', 'asset', 'payer', 'pay_to'])
    .select(['resource_url', 'signed_amount', 'charge', 'tx_hash', 'reason', 'reserved_at', 'settled_at'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) return null
  return {
    id: row.id,
    state: row.state,
    service: row.service,
    endpoint: row.endpoint,
    resourceUrl: row.resource_url,
    scheme: row.scheme,
    network: row.network,
    // The ledger writes these columns from checked payments.
    asset: row.asset as Address,
    payer: row.payer as Address,
    payTo: row.pay_to as Address,
    signedAmount: `${row.signed_amount}`,
    amount: row.charge === null ? null : `${row.charge}`,
    transaction: row.tx_hash as Hex | null,
    reason: row.reason,
    reservedAt: new Date(row.reserved_at / 1000).toISOString(),
    settledAt: row.settled_at === null ? null : new Date(row.settled_at).toISOString(),
  }
}
