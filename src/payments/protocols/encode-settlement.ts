import type { SettledPayment } from './protocol.ts'

/**
 * Base64 of an x402 SettlementResponse, with the id of our receipt.
 * @param network as the version names it.
 */
export function encodeSettlement(
  { payment, receiptId, settlement }: SettledPayment,
  network: string,
): string {
  const isSettled = settlement.outcome === 'settled'
  const transaction = settlement.outcome === 'failed' ? null : settlement.transaction
  const response = {
    success: isSettled,
    ...(!isSettled && { errorReason: settlement.reason }),
    payer: payment.payer,
    transaction: transaction ?? '',
    network,
    ...(isSettled && { amount: settlement.amount.toString() }),
    extra: { receipt: receiptId },
  }
  return Buffer.from(JSON.stringify(response)).toString('base64')
}
