import type { Reply } from '@tollbook/http/reply/reply'
import { signReceipt } from '../contract/signed-offers.ts'
import type { Settlement } from '../facilitator.ts'
import { settlementHeaders } from '../protocols/protocols.ts'
import type { GateSettings } from './gate-options.ts'
import type { PaidCall } from './paid-call.ts'

/** The headers of an answer: its settlement in the protocol of its client, with a signed receipt once it is paid. */
export async function settledHeaders(
  seller: GateSettings['seller'],
  { exchange, protocol, payment, reservation }: PaidCall,
  settlement: Settlement,
): Promise<Reply['headers']> {
  const { signer } = seller(exchange.service)
  const { id, resourceUrl } = reservation
  const settledAt = settlement.outcome === 'settled' ? settlement.settledAt : undefined
  const receipt =
    signer && settlement.outcome === 'settled' && settledAt !== undefined && resourceUrl !== undefined
      ? await signReceipt(signer, {
          network: payment.terms.network,
          resourceUrl,
          payer: payment.payer,
          settledAt,
          transaction: settlement.transaction,
        })
      : undefined
  return settlementHeaders(protocol, { payment, receiptId: id, settlement, receipt })
}
