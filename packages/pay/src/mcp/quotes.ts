import { randomUUID } from 'node:crypto'
import type { ToolResult } from '@tollbook/endpoints/mcp/tool-result'
import type { Buyer } from '../buyer.ts'
import type { Offer } from '../offer.ts'
import type { PaidRequest } from '../pay.ts'
import { toAnswer } from './answer.ts'

const MAX_QUOTES = 100

type Quote = { readonly request: PaidRequest; readonly offer: Offer; readonly until: number }
/** A call, its price, and the id under which it can be bought. */
export type Quoted = Pick<Quote, 'request' | 'offer'> & { readonly id: string }

/** The quotes that can be bought now. */
export class Quotes {
  readonly #buyer: Buyer
  readonly #validMs: number
  readonly #quotes = new Map<string, Quote>()

  /** @param validMs how long a quote can be bought */
  constructor(buyer: Buyer, validMs: number) {
    this.#buyer = buyer
    this.#validMs = validMs
  }

  /** Stores the offer of a call; its answer if it needs no payment. */
  async quote(request: PaidRequest, signal: AbortSignal): Promise<Quoted | ToolResult> {
    const offer = await this.#buyer.quote(request, signal)
    if ('kind' in offer) return toAnswer(offer, signal)
    for (const [old, { until }] of this.#quotes)
      if (until < Date.now() || this.#quotes.size >= MAX_QUOTES) this.#quotes.delete(old)
    const id = randomUUID()
    this.#quotes.set(id, { request, offer, until: Date.now() + this.#validMs })
    return { id, request, offer }
  }

  /** @throws Error if there is no such quote. */
  find(id: string): Quoted {
    const quoted = this.#quotes.get(id)
    if (!quoted || quoted.until < Date.now()) throw new Error('no such quote, or it has ended: quote again')
    return { id, request: quoted.request, offer: quoted.offer }
  }

  remove(id: string): void {
    this.#quotes.delete(id)
  }

  /** Buys at the quoted price, once. @throws Error if there is no such quote. */
  async buy(id: string, signal: AbortSignal): Promise<ToolResult> {
    const quoted = this.find(id)
    this.remove(id)
    const review = async (offer: Offer) =>
      isQuoted(offer, quoted.offer) ? null : 'Not paid: the price, scheme or payee has changed. Quote again.'
    return toAnswer(await this.#buyer.buy(quoted.request, { signal, review }), signal)
  }
}

function isQuoted(offer: Offer, quoted: Offer): boolean {
  const isSame = offer.scheme === quoted.scheme && offer.payTo.toLowerCase() === quoted.payTo.toLowerCase()
  return isSame && offer.amount <= quoted.amount
}
