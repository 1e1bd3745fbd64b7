import type { UsdText } from '@tollbook/chain/usdc'
import type { Dialect } from '@tollbook/http/reply/problem-document'

export type Pricing =
  | { readonly kind: 'free' }
  /** `exact`: the same price for every call. */
  | { readonly kind: 'exact'; readonly priceUsd: UsdText }
  /**
   * `upto`: the handler sets the charge, from `minimumUsd` to `priceUsd`, the listing price. With
   * `isExactFirst` a caller may instead pay the listing price by `exact`, which is then offered first.
   */
  | {
      readonly kind: 'metered'
      readonly priceUsd: UsdText
      readonly minimumUsd: UsdText
      readonly isExactFirst: boolean
    }

/** Whose data an answer shows: `wallet` and `session` answers are replayed only to their payer. */
export type Scope = 'public' | 'wallet' | 'session'

/** What the gate reads of a route; an endpoint of a catalogue is one. */
export type PaidRoute = {
  /** Unique over all that is sold with one state; part of the fingerprints of requests. */
  readonly id: string
  /** What the caller gets, as a 402 shows it. */
  readonly description: string
  readonly pricing: Pricing
  /** `timeoutMs`: max run time of a call in milliseconds; then it fails with an uncharged 504. */
  readonly limits: { readonly timeoutMs: number }
  /** Whose data an answer shows, for all calls or depending on their validated input. Default `public`. */
  readonly scope?: Scope | ((input: unknown) => Scope)
  /** The error envelope; default `problem` (RFC 9457). */
  readonly dialect?: Dialect
  /**
   * Whether its handler may run again for a payment after an error, or after the process ended before the answer was
   * stored, up to three times; default true. Otherwise the payment is released, and buys nothing more here.
   */
  readonly rerun?: boolean
  /** For how long its payer may repeat a request without paying, with a proof of identity; default never. */
  readonly repeatAccess?: { readonly hours: number }
  /** Arguments that earlier versions had, with their defaults, for the fingerprint of a request. Default none. */
  readonly formerDefaults?: Readonly<Record<string, unknown>>
  /** For callers, in each 402: how the arguments select another route. */
  readonly selection?: { readonly note: string }
}

/** Whose data the answer to a call shows. `input` has passed the validation of the route. */
export function scopeOf({ scope = 'public' }: Pick<PaidRoute, 'scope'>, input: unknown): Scope {
  return typeof scope === 'function' ? scope(input) : scope
}
