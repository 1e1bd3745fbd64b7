import { createSemaphore } from '../flow/semaphore.ts'
import type { Problem } from '../http/problem.ts'
import { type AtomicUsdc, formatUsd } from '../money/usdc.ts'
import type { ChainReader } from '../payments/facilitator.ts'
import { type OfferedPayment, paymentKey } from '../payments/payment.ts'
import { fingerprintOf } from './fingerprint.ts'
import { isOver, isPage, isRefused } from './is-refused.ts'
import { MAX_LIFETIME_SECONDS, type Offer, readSettlement } from './offer.ts'
import { createOpenPayments, readPayment } from './open-payments.ts'
import { type PaidRequest, payAndCall, sendPaid } from './pay.ts'
import type { SignedPayment } from './requested.ts'
import type { Wallet } from './sign.ts'
import type { LoggedPayment, Reservation, SpendingLog, Totals } from './spending-log.ts'

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

/** Pays for requests within a budget, which the processes of one spending log share. */
export type Buyer = {
  readonly budget: AtomicUsdc
  readonly max: AtomicUsdc
  /** Sends a request and pays for it if a 402 asks for it. @throws the signal's reason. */
  buy(request: PaidRequest, options: BuyOptions): Promise<Purchase>
  /** The offer of a request, or its outcome without one. Nothing is paid. */
  quote(request: PaidRequest, signal: AbortSignal): Promise<Offer | Purchase>
  /** Reads from the chain what became of payments whose charge is not known. */
  reconcile(): Promise<void>
  totals(): Totals
  list(count: number): readonly LoggedPayment[]
}

export type BuyerOptions = Wallet & {
  readonly log: SpendingLog
  readonly chain: Pick<ChainReader, 'findSettlement'>
  readonly budget: AtomicUsdc
  /** The maximum of one call. */
  readonly max: AtomicUsdc
}

/** How long an answer waits for its charge. Chosen: two blocks of Base and a look-up; a later look-up finds the rest. */
const CHARGE_MS = 5_000
/** Block times may be behind this machine's clock. */
const CLOCK_MARGIN_SECONDS = 60
/** More equal requests than any program sends; each has a connection. */
const MAX_WAITING = 1000
const HASH = /^0x[0-9a-f]{64}$/i

export function createBuyer({ log, chain, key, rpcUrl, budget, max }: BuyerOptions): Buyer {
  /** Payments of requests that wait for their answers here. */
  const busy = new Set<string>()
  /** Equal requests with a key of the caller, one at a time: all of them are paid once. */
  const turns = createSemaphore({ max: 1, maxWaiting: MAX_WAITING })
  const { lookUp, reconcile } = createOpenPayments({ log, chain, busy })

  const buy: Buyer['buy'] = async (request, options) => {
    const fingerprint = fingerprintOf(request)
    if (!request.headers.has('idempotency-key')) return buyInTurn(request, fingerprint, options)
    const end = await turns.acquire(options.signal, fingerprint)
    const purchase = await buyInTurn(request, fingerprint, options).catch((error: unknown) => {
      end()
      throw error
    })
    if (purchase.kind === 'response')
      return { ...purchase, close: (isWhole, reader) => purchase.close(isWhole, reader).finally(end) }
    end()
    return purchase
  }

  const buyInTurn = (request: PaidRequest, fingerprint: string, options: BuyOptions): Promise<Purchase> =>
    settleFailure(request, options.signal, async (held) => {
      for (;;) {
        const again = await repeatPayment(request, fingerprint, { ...options, held })
        const purchase = again ?? (await payAnew(request, fingerprint, { ...options, held }))
        // Otherwise another process has paid for the same key meanwhile: its payment is sent.
        if (purchase !== null) return purchase
      }
    })

  async function quote(request: PaidRequest, signal: AbortSignal): Promise<Offer | Purchase> {
    let offer: Offer | undefined
    const review = async (offered: Offer) => {
      offer = offered
      return 'Not paid: only quoted.'
    }
    const purchase = await settleFailure(
      request,
      signal,
      async (held) => (await payAnew(request, '', { signal, review, held })) ?? notPaid('Not paid.'),
    )
    return offer ?? purchase
  }

  /** Turns a failure of the network into a refusal. @param work reports the payments that it sends. */
  async function settleFailure(
    { url }: PaidRequest,
    signal: AbortSignal,
    work: (held: string[]) => Promise<Purchase>,
  ): Promise<Purchase> {
    const held: string[] = []
    try {
      return await work(held)
    } catch (error) {
      for (const id of held) busy.delete(id)
      signal.throwIfAborted()
      const detail =
        held.length > 0
          ? 'The answer was lost. The same request is sent with the same payment, so that it is paid once.'
          : `${new URL(url).origin} cannot be called, and nothing was paid.`
      return {
        kind: 'refused',
        problem: { code: 'upstream_failed', detail: `${detail} (${reasonOf(error)})` },
      }
    }
  }

  /** Sends an earlier payment whose answer was lost; null if there is none, or it bought nothing and ended. */
  async function repeatPayment(
    request: PaidRequest,
    fingerprint: string,
    { signal, held }: { readonly signal: AbortSignal; readonly held: string[] },
  ): Promise<Purchase | null> {
    const stored = log.findUnanswered(fingerprint, busy)
    if (!stored) return null
    hold(stored.id, held)
    const response = await sendPaid({ request, signal, onRetry: () => {} }, stored.payload as SignedPayment)
    const payment = readPayment(stored.payload)
    if (response.ok || !isOver(payment)) return toPurchase(payment, response)
    // The seller may refuse what it has charged: only the chain shows that it has not.
    const found = await lookUp(stored)
    // A node that lags behind shows an old state: unless the seller refuses, the end must be final.
    const isEnded = isRefused(response, true) && isOver(payment, CLOCK_MARGIN_SECONDS)
    const isUnused = found === 'expired' || (found === 'open' && isEnded)
    if (!isUnused) return toPurchase(payment, response)
    await response.body?.cancel()
    log.giveUp(stored.id)
    busy.delete(stored.id)
    held.splice(0)
    return null
  }

  /** Null, and nothing is paid, if the log has a payment for the same request and key. */
  async function payAnew(
    request: PaidRequest,
    fingerprint: string,
    { signal, held, review }: BuyOptions & { readonly held: string[] },
  ): Promise<Purchase | null> {
    let refusal: string | null = null
    let reservation: Reservation | undefined
    let paid: OfferedPayment | undefined
    const outcome = await payAndCall({
      request,
      key,
      rpcUrl,
      max,
      signal,
      onRetry: () => {},
      async confirm(offer) {
        refusal = (await review?.(offer)) ?? null
        return refusal === null
      },
      async onSigned(payload) {
        try {
          const payment = readPayment(payload)
          if (payment.validBefore > Date.now() / 1000 + MAX_LIFETIME_SECONDS)
            throw new Error(`the payment would stay valid for more than ${MAX_LIFETIME_SECONDS} seconds`)
          // The seller of MPP chooses the nonce, by its challenge.
          if (log.find(paymentKey(payment))) throw new Error('the seller repeats a challenge that was paid')
          reservation = await reserve(payment, request, fingerprint)
          if (reservation !== 'made') return false
          hold(paymentKey(payment), held)
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
        return toPurchase(paid, outcome.response)
      case 'invalid_arguments':
        return { kind: 'refused', problem: outcome.problem }
      case 'no-offer':
        return notPaid(`Not paid: ${outcome.reason}.`)
      case 'declined':
        if (reservation === 'exists') return null
        if (reservation === 'short') return notPaid(explainShortage(outcome.offer), 'budget')
        return notPaid(refusal ?? 'Not paid.')
    }
  }

  /** On disk before the payment is sent. Payments that turn out to be unused make room. */
  async function reserve(
    payment: OfferedPayment,
    { url, headers }: PaidRequest,
    fingerprint: string,
  ): Promise<Reservation> {
    const { origin, pathname } = new URL(url)
    const entry = {
      id: paymentKey(payment),
      url: `${origin}${pathname}`,
      request: fingerprint,
      hasKey: headers.has('idempotency-key'),
      payTo: payment.payTo,
      amount: payment.signedAmount,
      payload: payment.payload,
    }
    const reservation = log.reserve(entry, budget)
    if (reservation !== 'short') return reservation
    await reconcile()
    return log.reserve(entry, budget)
  }

  function explainShortage({ amount }: Offer): string {
    const { spent, open } = log.totals()
    const rest = open > 0n ? `, $${formatUsd(open)} may still be charged` : ''
    return `The budget of $${formatUsd(budget)} does not cover $${formatUsd(amount)}: $${formatUsd(spent)} is spent${rest}. Start again with a higher --budget, or another --log.`
  }

  function hold(id: string, held: string[]): void {
    busy.add(id)
    held.push(id)
  }

  function toPurchase(payment: OfferedPayment, response: Response): Purchase {
    const id = paymentKey(payment)
    const receipt = readSettlement(response)
    // What was charged is read from the chain, not from the seller. An exact payment costs its amount.
    const [hash] = (receipt?.success === true && HASH.exec(receipt.transaction)) || []
    if (hash && payment.scheme === 'exact') log.report(id, hash)
    return {
      kind: 'response',
      response,
      isPaid: true,
      async close(isWhole, reader) {
        const readCharge = async () => {
          if (payment.scheme === 'upto' || hash)
            await lookUp({ id, payload: payment.payload }, AbortSignal.timeout(CHARGE_MS))
        }
        if (reader) await readCharge()
        busy.delete(id)
        const isAnswered = response.ok ? receipt || !isPage(response) : isRefused(response, isOver(payment))
        if (isWhole && isAnswered && !reader?.aborted) log.markAnswered(id)
        // A reader that already has the body may send its next request at once.
        if (!reader) await readCharge()
        return log.find(id)
      },
    }
  }

  return { budget, max, buy, quote, reconcile, totals: log.totals, list: log.list }
}

function notPaid(detail: string, reason?: string): Purchase {
  const problem = { code: 'payment_required', detail, ...(reason && { members: { reason } }) } as const
  return { kind: 'refused', problem }
}

/** The network's own code, such as ECONNREFUSED; never a message, which may contain a URL. */
function reasonOf(error: unknown): string {
  const { cause, code, name } = Object(error) as { cause?: { code?: string }; code?: string; name?: string }
  return cause?.code ?? code ?? name ?? 'unknown'
}
