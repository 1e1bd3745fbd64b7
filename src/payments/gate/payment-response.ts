import type { SettleResponse } from '@x402/core/types'
import type { Settlement } from '../facilitator.ts'
import type { OfferedPayment } from '../payment.ts'

/** The value of `PAYMENT-RESPONSE`: base64 of an x402 SettlementResponse, with the id of our receipt. */
export function toPaymentResponse(
  payment: OfferedPayment,
  receiptId: string,
  settlement: Settlement,
): string {
  const isSettled = settlement.outcome === 'settled'
  const transaction = settlement.outcome === 'failed' ? null : settlement.transaction
  const response: SettleResponse = {
    success: isSettled,
    ...(!isSettled && { errorReason: settlement.reason }),
    payer: payment.payer,
    transaction: transaction ?? '',
    network: payment.terms.network,
    ...(isSettled && { amount: settlement.amount.toString() }),
    extra: { receipt: receiptId },
  }
  return Buffer.from(JSON.stringify(response)).toString('base64')
}
