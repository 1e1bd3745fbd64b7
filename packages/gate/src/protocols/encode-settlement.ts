import { toReceiptExtension } from '../contract/signed-offers.ts'
import type { Settlement } from '../facilitator.ts'
import type { ChannelPayment, OfferedPayment } from '../payment.ts'
import type { SettledPayment } from './protocol.ts'

/**
 * Base64 of an x402 SettlementResponse, with the id of our receipt and the signed one.
 * @param network as the version names it.
 */
export function encodeSettlement(
  { payment, receiptId, settlement, receipt }: SettledPayment,
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
    ...(isSettled && { amount: amountOf(payment, settlement) }),
    extra: { receipt: receiptId, ...(isSettled && payment.channel && chargeOf(payment.channel, settlement)) },
    ...(receipt && { extensions: toReceiptExtension(receipt) }),
  }
  return Buffer.from(JSON.stringify(response)).toString('base64')
}

type Settled = Extract<Settlement, { outcome: 'settled' }>

/** What moved on the chain: of a channel, its deposit. */
function amountOf({ channel }: OfferedPayment, { amount, transaction }: Settled): string {
  if (!channel) return amount.toString()
  return transaction === null ? '' : (channel.amount ?? '')
}

function chargeOf({ id, max }: ChannelPayment, { amount, channelState }: Settled) {
  return {
    chargedAmount: amount.toString(),
    channelState: { channelId: id, ...channelState, chargedCumulativeAmount: max },
  }
}
