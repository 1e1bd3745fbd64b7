import type { Hex } from '@tollbook/chain/hex'
import type { CallRow } from '@tollbook/gate/calls/call-row'
import type { Settlement } from '@tollbook/gate/facilitator'
import type { Problem } from '@tollbook/http/problem'

/** What became of a settlement: its outcome, that it is still open, or why it was refused. */
export type SettleResult =
  | Pick<Extract<Settlement, { outcome: 'settled' }>, 'outcome' | 'transaction' | 'amount'>
  | { readonly outcome: 'failed'; readonly reason: string }
  | { readonly outcome: 'pending'; readonly transaction: Hex | null }
  | { readonly outcome: 'refused'; readonly problem: Problem }

/** Its row is still open. */
export function toPending(row: CallRow | null): SettleResult {
  return { outcome: 'pending', transaction: (row?.tx_hash ?? null) as Hex | null }
}

/** Its row is settled. */
export function toSettled(row: CallRow): SettleResult {
  return {
    outcome: 'settled',
    transaction: row.tx_hash as Hex,
    amount: BigInt(row.charge ?? row.signed_amount),
  }
}

/** The x402 code of a problem. */
export function reasonOf({ code, members }: Problem): string {
  return typeof members?.reason === 'string' ? members.reason : code
}
