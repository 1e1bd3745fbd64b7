import type { Problem } from '@tollbook/http/problem'
import { acceptsHtml } from '@tollbook/http/reply/document'
import { renderProblem } from '@tollbook/http/reply/problem-document'
import type { Reply } from '@tollbook/http/reply/reply'
import type { KeyedHash } from '../calls/keyed-hash.ts'
import { encodePaymentRequired } from '../challenge/payment-required.ts'
import type { Exchange, Paywall } from '../contract/exchange.ts'
import type { OfferedRoute, PaidService } from '../contract/offered-route.ts'
import type { PaidRoute } from '../contract/paid-route.ts'
import { type OfferSigner, signOffers } from '../contract/signed-offers.ts'
import type { SellerTerms } from '../contract/terms.ts'
import { writeTerms } from '../protocols/protocols.ts'
import { createRouteOffer, type RouteOffer, withExtension, withOffers } from '../protocols/route-offer.ts'
import { createProofChallenge } from './payer-proof.ts'
import { SIGN_IN_WITH_X } from './sign-in-with-x.ts'

/** A 402 without the parts that differ between requests: its id, at each gap of the body, and the terms' headers. */
type Template = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: readonly string[]
}

type Built = {
  readonly offer: RouteOffer
  /** The offer as 402 answers show it, and the window in which its signatures were made. */
  shown: RouteOffer
  window: number
  /** For requests with acceptable arguments, and for those with none. */
  templates: { accepted?: Template; bare?: Template }
  readonly facilitatorAddress: SellerTerms['facilitatorAddress']
  readonly edition: string
}

/**
 * Offers are signed once in this time and valid until the end of the next window: at least as long as the SDK's own
 * offers.
 */
const OFFER_WINDOW_SECONDS = 300

/** The prices of endpoints, built once for each: the 402 of an unpaid request, and what payments are matched with. */
export class Challenges {
  readonly #seller: (service: PaidService) => SellerTerms
  readonly #keyedHash: KeyedHash
  readonly #clock: () => Date
  readonly #offers = new WeakMap<PaidService, WeakMap<PaidRoute, Built>>()
  readonly #origins = new Set<string>()

  constructor(parts: {
    readonly seller: (service: PaidService) => SellerTerms
    readonly keyedHash: KeyedHash
    readonly clock: () => Date
  }) {
    this.#seller = parts.seller
    this.#keyedHash = parts.keyedHash
    this.#clock = parts.clock
  }

  /** Whether the endpoint can be paid at all with this configuration of seller and facilitator. */
  isPayable({ service, endpoint }: Exchange): boolean {
    const { pricing } = endpoint
    if (pricing.kind !== 'metered') return pricing.kind === 'exact'
    return pricing.isExactFirst || this.#seller(service).facilitatorAddress !== undefined
  }

  /** What payments are matched with; without signed offers, which change. */
  offerOf(exchange: Exchange): RouteOffer {
    return this.#builtFor(exchange).offer
  }

  /** The same for each other route that the body of the request may still select. */
  *selectableOffers(exchange: Exchange): Generator<RouteOffer> {
    for (const other of exchange.selectable()) yield this.#builtFor(other).offer
  }

  /** Signs the offers of the endpoint, if they are due; to be awaited before anything with terms is rendered. */
  prepare(exchange: Exchange): Promise<void> | undefined {
    const { signer } = this.#seller(exchange.service)
    if (!signer || !this.isPayable(exchange)) return
    const built = this.#builtFor(exchange)
    const window = Math.floor(this.#clock().getTime() / 1000 / OFFER_WINDOW_SECONDS)
    return built.window === window ? undefined : sign(built, signer, window)
  }

  /**
   * The 402 of a request without a payment; it lists the issues of the arguments that were sent. A browser gets a page
   * that pays.
   */
  async challenge(exchange: Exchange): Promise<Reply> {
    const problem = await exchange.peekProblem()
    const { requestId, request } = exchange
    const context = { requestId, now: this.#clock() }
    if (exchange.renderPaywall && acceptsHtml(request.headers.get('accept'))) {
      const { accepts } = this.offerOf(exchange).brief
      return this.#toPageReply(exchange, await exchange.renderPaywall(accepts, problem), context)
    }
    const terms = writeTerms(this.#shownOf(exchange), context)
    const { status, headers, body } = this.#templateOf(exchange, problem)
    return { status, headers: { ...headers, ...terms.headers, ...VARY }, body: body.join(requestId) }
  }

  /** Any other problem with status 402, with the terms that a payment would have to meet. */
  withTerms(exchange: Exchange, problem: Problem): Problem {
    const reason = problem.members?.reason
    return this.#addTerms(exchange, problem, typeof reason === 'string' ? reason : problem.code)
  }

  /** Whether a `resource.url` is the requested endpoint, on this host or on another one of ours. */
  isOurs(exchange: Exchange, text: string): boolean {
    const { resourceUrl: listedUrl } = exchange
    if (text === listedUrl) return true
    if (!URL.canParse(text)) return false
    const url = new URL(text)
    const listed = new URL(listedUrl)
    const requested = new URL(exchange.request.url)
    if (!this.#origins.has(url.origin)) return false
    return url.pathname === listed.pathname || url.pathname === requested.pathname
  }

  #builtFor(offered: OfferedRoute): Built {
    const { service, endpoint } = offered
    let ofService = this.#offers.get(service)
    if (!ofService) {
      ofService = new WeakMap()
      this.#offers.set(service, ofService)
      this.#origins.add(new URL(service.baseUrl).origin)
    }
    const seller = this.#seller(service)
    const known = ofService.get(endpoint)
    const { facilitatorAddress } = seller
    const edition = service.edition?.() ?? ''
    if (known && known.facilitatorAddress === facilitatorAddress && known.edition === edition) return known
    const signInBytes = endpoint.repeatAccess ? measureSignIn(offered.resourceUrl, seller) : 0
    const offer = createRouteOffer(offered, { seller, keyedHash: this.#keyedHash, signInBytes })
    const built = { offer, shown: offer, window: 0, templates: {}, facilitatorAddress, edition }
    ofService.set(endpoint, built)
    return built
  }

  /** Where a purchase may be repeated, each 402 has a nonce of its own to sign. */
  #shownOf(exchange: Exchange): RouteOffer {
    const { shown } = this.#builtFor(exchange)
    if (!exchange.endpoint.repeatAccess) return shown
    const { network } = this.#seller(exchange.service)
    const signIn = createProofChallenge(exchange.resourceUrl, network, this.#clock())
    return withExtension(shown, SIGN_IN_WITH_X, signIn)
  }

  #toPageReply(
    exchange: Exchange,
    page: Paywall,
    context: { readonly requestId: string; readonly now: Date },
  ): Reply {
    const { offer } = this.#builtFor(exchange)
    // A page has long headers of its own.
    const { headers } = writeTerms({ ...offer, header: encodePaymentRequired(offer.brief) }, context)
    return { status: 402, headers: { ...headers, ...page.headers, ...VARY }, body: page.body }
  }

  /** Rendered once where many requests get the same. */
  #templateOf(exchange: Exchange, issue: Problem | null): Template {
    const { templates } = this.#builtFor(exchange)
    if (exchange.isBare) {
      templates.bare ??= this.#buildTemplate(exchange, issue)
      return templates.bare
    }
    if (issue) return this.#buildTemplate(exchange, issue)
    templates.accepted ??= this.#buildTemplate(exchange, null)
    return templates.accepted
  }

  #buildTemplate(exchange: Exchange, issue: Problem | null): Template {
    const { selection } = exchange.endpoint
    const unpaid = selection ? `${UNPAID} ${selection.note}` : UNPAID
    const problem: Problem = {
      code: 'payment_required',
      detail: issue ? `${unpaid} With these arguments it would be rejected: ${issue.detail}` : unpaid,
      ...(issue?.issues && { issues: issue.issues }),
      ...(issue && { members: { refused_as: issue.code } }),
    }
    const { service, endpoint, requestId } = exchange
    const { baseUrl, hasProblemsPage } = service
    const context = { baseUrl, hasProblemsPage, dialect: endpoint.dialect, requestId }
    const { status, headers, body } = renderProblem(this.#addTerms(exchange, problem), context)
    return { status, headers, body: String(body).split(requestId) }
  }

  /** @param error absent if the request had no payment. */
  #addTerms(exchange: Exchange, problem: Problem, error?: string): Problem {
    const channel = problem.members?.channel
    const { requestId, endpoint } = exchange
    const { headers, bodyMembers } = writeTerms(this.#builtFor(exchange).shown, {
      requestId,
      now: this.#clock(),
      ...(error !== undefined && { error }),
      // Only refused vouchers have this member.
      ...(channel !== undefined && { channel: channel as Readonly<Record<string, unknown>> }),
    })
    // Version 1 has this member too; the other dialects have their own.
    const ofVersionOne = (endpoint.dialect ?? 'problem') === 'problem' && { error: error ?? problem.code }
    return {
      ...problem,
      members: { ...problem.members, ...ofVersionOne },
      bodyMembers,
      headers: { ...problem.headers, ...headers },
    }
  }
}

async function sign(built: Built, signer: OfferSigner, window: number): Promise<void> {
  const { resource, accepts } = built.offer.paymentRequired
  const offered = { url: resource.url, accepts }
  const signed = await signOffers(signer, offered, (window + 2) * OFFER_WINDOW_SECONDS)
  built.shown = withOffers(built.offer, signed)
  built.window = window
  built.templates = {}
}

/** The JSON of the extension, whose length is always the same. */
function measureSignIn(resourceUrl: string, { network }: SellerTerms): number {
  const challenge = createProofChallenge(resourceUrl, network, new Date())
  return Buffer.byteLength(`,"${SIGN_IN_WITH_X}":${JSON.stringify(challenge)}`)
}

const VARY = { vary: 'Accept' }
const UNPAID =
  'This call requires payment: x402 version 2 (header PAYMENT-REQUIRED), version 1 (`accepts`), or MPP (WWW-Authenticate) where it is offered.'
