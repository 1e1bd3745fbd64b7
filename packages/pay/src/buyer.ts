import { BASE, type Network } from '@tollbook/chain/network'
import { type AtomicUsdc, formatUsd } from '@tollbook/chain/usdc'
import { createSemaphore } from '@tollbook/flow/semaphore'
import type { ChainReader } from '@tollbook/gate/facilitator'
import { type OfferedPayment, paymentKey } from '@tollbook/gate/payment'
import { fingerprintOf } from './fingerprint.ts'
import { isOver, isPage, isRefused } from './is-refused.ts'
import { MAX_LIFETIME_SECONDS, type Offer, readSettlement } from './offer.ts'
import { createOpenPayments, type OpenPayments, readPayment } from './open-payments.ts'
import { type PaidRequest, payAndCall, sendPaid } from './pay.ts'
import { type BuyOptions, connectionFailed, notPaid, type Purchase } from './purchase.ts'
import type { SignedPayment } from './requested.ts'
import type { Wallet } from './sign.ts'
import type { LoggedPayment, Reservation, SpendingLog, Totals } from './spending-log.ts'

/** How long an answer waits for its charge. Chosen: two blocks of Base and a look-up; a later look-up finds the rest. */
const CHARGE_MS = 5_000
/** Block times may be behind this machine's clock. */
const CLOCK_MARGIN_SECONDS = 60
/** More equal requests than any program sends; each has a connection. */
const MAX_WAITING = 1000
const HASH = /^0x[0-9a-f]{64}$/i

/** An attempt to buy, with the payments that it has sent. */
type Attempt = BuyOptions & {
  readonly request: PaidRequest
  readonly fingerprint: string
  readonly sent: string[]
}

/** Pays for requests within a budget, which the processes of one spending log share. */
export class Buyer {
  readonly budget: AtomicUsdc
  readonly max: AtomicUsdc
  readonly #log: SpendingLog
  readonly #wallet: Wallet
  readonly #openPayments: OpenPayments
  /** Payments of requests that wait for their answers here. */
  readonly #busy = new Set<string>()
  /** Equal requests with a key of the caller, one at a time: all of them are paid once. */
  readonly #turns = createSemaphore({ max: 1, maxWaiting: MAX_WAITING })

  constructor(parts: {
    readonly log: SpendingLog
    readonly chain: Pick<ChainReader, 'findSettlement'>
    readonly key: Wallet['key']
    readonly rpcUrl: string
    readonly network?: Network
    readonly budget: AtomicUsdc
    /** The maximum of one call. */
    readonly max: AtomicUsdc
  }) {
    this.budget = parts.budget
    this.max = parts.max
    this.#log = parts.log
    const { key, rpcUrl, network = BASE } = parts
    this.#wallet = { key, rpcUrl, network }
    this.#openPayments = createOpenPayments({ log: parts.log, chain: parts.chain, busy: this.#busy })
  }

  /** Sends a request and pays for it if a 402 asks for it. @throws the signal's reason. */
  async buy(request: PaidRequest, options: BuyOptions): Promise<Purchase> {
    const fingerprint = fingerprintOf(request)
    if (!request.headers.has('idempotency-key')) return this.#buyInTurn(request, fingerprint, options)
    const end = await this.#turns.acquire(options.signal, fingerprint)
    const purchase = await this.#buyInTurn(request, fingerprint, options).catch((error: unknown) => {
      end()
      throw error
    })
    if (purchase.kind === 'response')
      return { ...purchase, close: (isWhole, reader) => purchase.close(isWhole, reader).finally(end) }
    end()
    return purchase
  }

  /** The offer of a request, or its outcome without one. Nothing is paid. */
  async quote(request: PaidRequest, signal: AbortSignal): Promise<Offer | Purchase> {
    let offer: Offer | undefined
    const review = async (offered: Offer) => {
      offer = offered
      return 'Not paid: only quoted.'
    }
    const attempt = { request, fingerprint: '', signal, review, sent: [] }
    const purchase = await this.#refuseFailure(
      attempt,
      async () => (await this.#payAnew(attempt)) ?? notPaid('Not paid.'),
    )
    return offer ?? purchase
  }

  /** Reads from the chain what became of payments whose charge is not known. */
  reconcile(): Promise<void> {
    return this.#openPayments.reconcile()
  }

  totals(): Totals {
    return this.#log.totals()
  }

  list(count: number): readonly LoggedPayment[] {
    return this.#log.list(count)
  }

  #buyInTurn(request: PaidRequest, fingerprint: string, options: BuyOptions): Promise<Purchase> {
    const attempt: Attempt = { ...options, request, fingerprint, sent: [] }
    return this.#refuseFailure(attempt, async () => {
      for (;;) {
        const purchase = (await this.#repeatPayment(attempt)) ?? (await this.#payAnew(attempt))
        // Otherwise another process has paid for the same key meanwhile: its payment is sent.
        if (purchase !== null) return purchase
      }
    })
  }

  /** Turns a failure of the network into a refusal. */
  async #refuseFailure({ request, signal, sent }: Attempt, work: () => Promise<Purchase>): Promise<Purchase> {
    try {
      return await work()
    } catch (error) {
      for (const id of sent) this.#busy.delete(id)
      signal.throwIfAborted()
      return connectionFailed(request.url, error, sent.length > 0)
    }
  }

  /** Sends an earlier payment whose answer was lost; null if there is none, or it bought nothing and ended. */
  async #repeatPayment({ request, fingerprint, signal, sent }: Attempt): Promise<Purchase | null> {
    const stored = this.#log.findUnanswered(fingerprint, this.#busy)
    if (!stored) return null
    this.#hold(stored.id, sent)
    const response = await sendPaid({ request, signal, onRetry: () => {} }, stored.payload as SignedPayment)
    const payment = readPayment(stored.payload)
    if (response.ok || !isOver(payment)) return this.#toPurchase(payment, response)
    // The seller may refuse what it has charged: only the chain shows that it has not.
    const found = await this.#openPayments.lookUp(stored)
    // A node that lags behind shows an old state: unless the seller refuses, the end must be final.
    const isEnded = isRefused(response, true) && isOver(payment, CLOCK_MARGIN_SECONDS)
    const isUnused = found === 'expired' || (found === 'open' && isEnded)
    if (!isUnused) return this.#toPurchase(payment, response)
    await response.body?.cancel()
    this.#log.giveUp(stored.id)
    this.#busy.delete(stored.id)
    sent.splice(0)
    return null
  }

  /** Null, and nothing is paid, if the log has a payment for the same request and key. */
  async #payAnew(attempt: Attempt): Promise<Purchase | null> {
    const { request, signal, review } = attempt
    let refusal: string | null = null
    let reservation: Reservation | undefined
    let paid: OfferedPayment | undefined
    const outcome = await payAndCall({
      request,
      ...this.#wallet,
      max: this.max,
      signal,
      onRetry: () => {},
      async confirm(offer) {
        refusal = (await review?.(offer)) ?? null
        return refusal === null
      },
      onSigned: async (payload) => {
        try {
          const payment = readPayment(payload)
          reservation = await this.#reserve(payment, attempt)
          if (reservation !== 'made') return false
          paid = payment
          return true
        } catch (error) {
          refusal = `Not paid: ${error instanceof Error ? error.message : 'the log cannot be written'}.`
          return false
        }
      },
    })
    switch (outcome.kind) {
      case 'unpaid':
        return { kind: 'response', response: outcome.response, isPaid: false, close: async () => null }
      case 'answered':
        if (!paid) throw new Error('a payment was sent without a reservation')
        return this.#toPurchase(paid, outcome.response)
      case 'invalid_arguments':
        return { kind: 'refused', problem: outcome.problem }
      case 'no-offer':
        return notPaid(`Not paid: ${outcome.reason}.`)
      case 'declined':
        if (reservation === 'exists') return null
        if (reservation === 'short') return notPaid(this.#explainShortage(outcome.offer), 'budget')
        return notPaid(refusal ?? 'Not paid.')
    }
  }

  /**
   * On disk before the payment is sent. Payments that turn out to be unused make room.
   * @throws Error if the payment must not be sent.
   */
  async #reserve(payment: OfferedPayment, { request, fingerprint, sent }: Attempt): Promise<Reservation> {
    const id = paymentKey(payment)
    if (payment.validBefore > Date.now() / 1000 + MAX_LIFETIME_SECONDS)
      throw new Error(`the payment would stay valid for more than ${MAX_LIFETIME_SECONDS} seconds`)
    // The seller of MPP chooses the nonce, by its challenge.
    if (this.#log.find(id)) throw new Error('the seller repeats a challenge that was paid')
    const { origin, pathname } = new URL(request.url)
    const entry = {
      id,
      url: `${origin}${pathname}`,
      request: fingerprint,
      hasKey: request.headers.has('idempotency-key'),
      payTo: payment.payTo,
      amount: payment.signedAmount,
      payload: payment.payload,
    }
    let reservation = this.#log.reserve(entry, this.budget)
    if (reservation === 'short') {
      await this.reconcile()
      reservation = this.#log.reserve(entry, this.budget)
    }
    if (reservation === 'made') this.#hold(id, sent)
    return reservation
  }

  #explainShortage({ amount }: Offer): string {
    const { spent, open } = this.#log.totals()
    const rest = open > 0n ? `, $${formatUsd(open)} may still be charged` : ''
    return `The budget of $${formatUsd(this.budget)} does not cover $${formatUsd(amount)}: $${formatUsd(spent)} is spent${rest}. Start again with a higher --budget, or another --log.`
  }

  #hold(id: string, sent: string[]): void {
    this.#busy.add(id)
    sent.push(id)
  }

  #toPurchase(payment: OfferedPayment, response: Response): Purchase {
    const id = paymentKey(payment)
    const receipt = readSettlement(response)
    // What was charged is read from the chain, not from the seller. An exact payment costs its amount.
    const [hash] = (receipt?.success === true && HASH.exec(receipt.transaction)) || []
    if (hash && payment.scheme === 'exact') this.#log.report(id, hash)
    const readCharge = async (): Promise<void> => {
      if (payment.scheme === 'upto' || hash)
        await this.#openPayments.lookUp({ id, payload: payment.payload }, AbortSignal.timeout(CHARGE_MS))
    }
    const close = async (isWhole: boolean, reader?: AbortSignal): Promise<LoggedPayment | null> => {
      if (reader) await readCharge()
      this.#busy.delete(id)
      const isAnswered = response.ok ? receipt || !isPage(response) : isRefused(response, isOver(payment))
      if (isWhole && isAnswered && !reader?.aborted) this.#log.markAnswered(id)
      // A reader that already has the body may send its next request at once.
      if (!reader) await readCharge()
      return this.#log.find(id)
    }
    return { kind: 'response', response, isPaid: true, close }
  }
}
