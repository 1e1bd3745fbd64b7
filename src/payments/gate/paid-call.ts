import type { Exchange, ReadRequest } from '../../catalogue/exchange.ts'
import type { RequestBudget } from '../../catalogue/serving/rate-limit.ts'
import type { Claim, Reservation } from '../ledger/authorizations.ts'
import type { OfferedPayment } from '../payment.ts'

/** A payment as it is presented with a request. */
export type Presented = { readonly exchange: Exchange; readonly payment: OfferedPayment }

/** A request with a payment that was read, matched and found well signed. */
export type PaidCall = Presented & {
  readonly read: ReadRequest
  readonly reservation: Reservation
  /** Whether the payer's own key signed; else only the payer's contract can say so, and not for ever. */
  readonly isKeySigned: boolean
  /** Whether the payment was found on the chain before its lifetime was over, and the caller proved to be its payer. */
  readonly isPrepaid: boolean
  /** What the request costs its address and its payer until it is paid. */
  readonly budget: RequestBudget
}

/** A call whose authorization is reserved, or rerun, for this process. */
export type RunningCall = PaidCall & { readonly claim: Claim }

/** How a call is named where only words are kept. */
export function namesOf({ service, endpoint }: Exchange): {
  readonly service: string
  readonly endpoint: string
} {
  return { service: service.name, endpoint: endpoint.id }
}
