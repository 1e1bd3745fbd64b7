import type { Address } from '@tollbook/chain/hex'
import { type AtomicUsdc, parseUsd, type UsdText } from '@tollbook/chain/usdc'

/** The payment of a request, for its handler. */
export type Payment = {
  /** The wallet that pays. */
  readonly payer: Address
  /** The same in every run for one payment: a key for what must not be done twice. */
  readonly id: string
  /** What the payer signed, in micro-USDC: the price, or the maximum of a price `upTo`. */
  readonly amount: AtomicUsdc
  /**
   * Sets what the call costs, in dollars, where the price is `upTo`; the last call counts. More than the maximum is cut to
   * it. @throws TypeError for a fixed price, or for no dollar amount.
   */
  charge(usd: UsdText): void
}

/** A payment with the charge that its handler set. */
export class MeteredPayment implements Payment {
  readonly payer: Address
  readonly id: string
  readonly amount: AtomicUsdc
  readonly #isMetered: boolean
  readonly #onExcess: (charge: AtomicUsdc) => void
  #charged: AtomicUsdc | undefined

  constructor(parts: {
    readonly payer: Address
    readonly id: string
    readonly amount: AtomicUsdc
    readonly isMetered: boolean
    readonly onExcess: (charge: AtomicUsdc) => void
  }) {
    this.payer = parts.payer
    this.id = parts.id
    this.amount = parts.amount
    this.#isMetered = parts.isMetered
    this.#onExcess = parts.onExcess
  }

  /** Undefined until the handler has set it. */
  get charged(): AtomicUsdc | undefined {
    return this.#charged
  }

  charge(usd: UsdText): void {
    if (!this.#isMetered) throw new TypeError("charge() needs a route with the price { upTo: '…' }")
    this.#charged = parseUsd(usd)
    if (this.#charged <= this.amount) return
    this.#onExcess(this.#charged)
    this.#charged = this.amount
  }
}

const payments = new WeakMap<object, Payment>()

/** Makes the payment of a request known to its handler, under each object by which the framework knows the request. */
export function setPayment(requests: readonly object[], payment: Payment): void {
  for (const request of requests) payments.set(request, payment)
}

/** The payment that was set for a request. @throws TypeError outside of a paid route */
export function paymentOf(request: object): Payment {
  const found = payments.get(request)
  if (!found) throw new TypeError('payment(request): this request is not served by a paid route')
  return found
}
