import type { Problem } from '@tollbook/http/problem'
import type { Offer } from './offer.ts'
import type { LoggedPayment } from './spending-log.ts'

/** What became of a request. */
export type Purchase =
  | {
      readonly kind: 'response'
      readonly response: Response
      /** Whether a payment was sent for it. */
      readonly isPaid: boolean
      /**
       * Called when the body has been passed on, whole or not: the same request is sent with the same payment
       * until it was. Returns what the log has about the payment, null if nothing was paid.
       * @param reader aborted when the reader leaves; given if it gets the body only after this call
       */
      readonly close: (isWhole: boolean, reader?: AbortSignal) => Promise<LoggedPayment | null>
    }
  | { readonly kind: 'refused'; readonly problem: Problem }

export type BuyOptions = {
  readonly signal: AbortSignal
  /** Returns why the offer is not accepted, or null. */
  readonly review?: (offer: Offer) => Promise<string | null>
}

/** The outcome of a request that was not paid. */
export function notPaid(detail: string, reason?: string): Purchase {
  const problem = { code: 'payment_required', detail, ...(reason && { members: { reason } }) } as const
  return { kind: 'refused', problem }
}

/** The outcome of a request whose connection failed. @param mayBePaid whether a payment was sent */
export function connectionFailed(url: string, error: unknown, mayBePaid: boolean): Purchase {
  const detail = mayBePaid
    ? 'The answer was lost. The same request is sent with the same payment, so that it is paid once.'
    : `${new URL(url).origin} cannot be called, and nothing was paid.`
  const problem = { code: 'upstream_failed', detail: `${detail} (${reasonOf(error)})` } as const
  return { kind: 'refused', problem }
}

/** The network's own code, such as ECONNREFUSED; never a message, which may contain a URL. */
function reasonOf(error: unknown): string {
  const { cause, code, name } = Object(error) as { cause?: { code?: string }; code?: string; name?: string }
  return cause?.code ?? code ?? name ?? 'unknown'
}
