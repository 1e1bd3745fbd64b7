import type { RequestBudget } from '@tollbook/http/request/rate-limit'
import type { Lease, Reservation } from '../calls/reservation.ts'
import type { Exchange, ReadRequest } from '../contract/exchange.ts'
import type { OfferedPayment } from '../payment.ts'
import type { Protocol } from '../protocols/protocol.ts'

/** A payment as presented with a request. */
export type Presented = {
  readonly exchange: Exchange
  readonly payment: OfferedPayment
  /** The protocol of the request, in which its answer states the settlement. */
  readonly protocol: Protocol
}

/** A request whose payment was decoded, matched with the offer and found correctly signed. */
export type PaidCall = Presented & {
  readonly read: ReadRequest
  readonly reservation: Reservation
  /** Whether the payer's own key signed; otherwise only the payer's contract can tell, and its answer may change. */
  readonly isKeySigned: boolean
  /**
   * Whether the transfer was found on the chain before the call was reserved, and the caller proved to be its
   * payer.
   */
  readonly isPrepaid: boolean
  /** What the request costs its address and its payer until it is paid. */
  readonly budget: RequestBudget
}

/** A call whose authorization this process has reserved, or runs again. */
export type RunningCall = PaidCall & { readonly lease: Lease }

/** Service and endpoint id, for rows and metrics that store strings. */
export function namesOf({ service, endpoint }: Exchange): {
  readonly service: string
  readonly endpoint: string
} {
  return { service: service.name, endpoint: endpoint.id }
}
