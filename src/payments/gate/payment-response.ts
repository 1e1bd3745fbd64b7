import type { SettleResponse } from '@x402/core/types'
import type { Hex } from '../../chain/hex.ts'
import type { AtomicUsdc } from '../../money/usdc.ts'
import type { OfferedPayment } from '../payment.ts'

export type PaymentOutcome =
  | { readonly isSettled: true; readonly transaction: Hex; readonly amount: AtomicUsdc }
  | { readonly isSettled: false; readonly transaction: Hex | null; readonly reason: string }

/** The value of `PAYMENT-RESPONSE`: base64 of an x402 SettlementResponse, with the id of our receipt. */
export function toPaymentResponse(
  payment: OfferedPayment,
  receiptId: string,
  outcome: PaymentOutcome,
): string {
  const { isSettled } = outcome
  const response: SettleResponse = {
    success: isSettled,
    ...(!isSettled && { errorReason: outcome.reason }),
    payer: payment.payer,
    transaction: outcome.transaction ?? '',
    network: payment.terms.network,
    ...(isSettled && { amount: outcome.amount.toString() }),
    extra: { receipt: receiptId },
  }
  return Buffer.from(JSON.stringify(response)).toString('base64')
}
