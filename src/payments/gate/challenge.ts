import { encodePaymentRequired } from '../../catalogue/challenge/payment-required.ts'
import type { Endpoint } from '../../catalogue/endpoint.ts'
import type { Exchange } from '../../catalogue/exchange.ts'
import { renderPayPage } from '../../catalogue/paying/pay-page.ts'
import { resourceUrlOf, type Service } from '../../catalogue/service.ts'
import { type OfferSigner, signOffers } from '../../catalogue/signed-offers.ts'
import type { SellerTerms } from '../../catalogue/terms.ts'
import type { Problem } from '../../http/problem.ts'
import { acceptsHtml } from '../../http/reply/document.ts'
import { renderProblem } from '../../http/reply/problem-document.ts'
import type { Reply } from '../../http/reply/reply.ts'
import type { KeyedHash } from '../ledger/keyed-hash.ts'
import { writeTerms } from '../protocols/protocols.ts'
import { createRouteOffer, type RouteOffer, withExtension, withOffers } from '../protocols/route-offer.ts'
import { createProofChallenge, SIGN_IN_WITH_X } from './payer-proof.ts'

/** The prices of endpoints, built once for each: the 402 of an unpaid request, and what payments are matched with. */
export interface Challenges {
  /** Whether the endpoint can be paid at all with this configuration of seller and facilitator. */
  isPayable(exchange: Exchange): boolean
  /** What payments are matched with; without signed offers, which change. */
  offerOf(exchange: Exchange): RouteOffer
  /** The same for each other endpoint that the body of the request may still select. */
  selectableOffers(exchange: Exchange): Iterable<RouteOffer>
  /** Signs the offers of the endpoint, if they are due; to be awaited before anything with terms is rendered. */
  prepare(exchange: Exchange): Promise<void> | undefined
  /**
   * The 402 of a request without a payment; it lists the issues of the arguments that were sent. A browser gets a page
   * that pays.
   */
  challenge(exchange: Exchange): Promise<Reply>
  /** Any other problem with status 402, with the terms that a payment would have to meet. */
  withTerms(exchange: Exchange, problem: Problem): Problem
  /** Whether a `resource.url` is the requested endpoint, on this host or on another one of ours. */
  isOurs(exchange: Exchange, url: string): boolean
}

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

export function createChallenges(parts: {
  readonly seller: (service: Service) => SellerTerms
  readonly keyedHash: KeyedHash
  readonly clock: () => Date
}): Challenges {
  const { keyedHash, clock } = parts
  const offers = new WeakMap<Service, Map<Endpoint, Built>>()
  const origins = new Set<string>()

  function builtFor({ service, endpoint }: Pick<Exchange, 'service' | 'endpoint'>): Built {
    let ofService = offers.get(service)
    if (!ofService) {
      ofService = new Map()
      offers.set(service, ofService)
      origins.add(new URL(service.baseUrl).origin)
    }
    const seller = parts.seller(service)
    const known = ofService.get(endpoint)
    const { facilitatorAddress } = seller
    const edition = service.edition?.() ?? ''
    if (known && known.facilitatorAddress === facilitatorAddress && known.edition === edition) return known
    const signInBytes = endpoint.repeatAccess ? measureSignIn(resourceUrlOf(service, endpoint), seller) : 0
    const offer = createRouteOffer(endpoint, service, { seller, keyedHash, signInBytes })
    const built = { offer, shown: offer, window: 0, templates: {}, facilitatorAddress, edition }
    ofService.set(endpoint, built)
    return built
  }

  function* selectableOffers({ service, endpoint, isUndecided }: Exchange): Generator<RouteOffer> {
    for (const other of isUndecided ? service.endpoints : [])
      if (other !== endpoint && other.input === endpoint.input && other.pricing.kind !== 'free')
        yield builtFor({ service, endpoint: other }).offer
  }

  /** Where a purchase may be repeated, each 402 has a nonce of its own to sign. */
  function shownOf(exchange: Exchange): RouteOffer {
    const { shown } = builtFor(exchange)
    if (!exchange.endpoint.repeatAccess) return shown
    const { network } = parts.seller(exchange.service)
    const signIn = createProofChallenge(exchange.resourceUrl, network, clock())
    return withExtension(shown, SIGN_IN_WITH_X, signIn)
  }

  const isPayable: Challenges['isPayable'] = ({ service, endpoint }) => {
    const { pricing } = endpoint
    if (pricing.kind !== 'metered') return pricing.kind === 'exact'
    return pricing.isExactFirst || parts.seller(service).facilitatorAddress !== undefined
  }

  async function sign(built: Built, signer: OfferSigner, window: number): Promise<void> {
    const { resource, accepts } = built.offer.paymentRequired
    const offered = { url: resource.url, accepts }
    const signed = await signOffers(signer, offered, (window + 2) * OFFER_WINDOW_SECONDS)
    built.shown = withOffers(built.offer, signed)
    built.window = window
    built.templates = {}
  }

  /** Rendered once where many requests get the same. */
  function templateOf(exchange: Exchange, issue: Problem | null): Template {
    const { templates } = builtFor(exchange)
    if (exchange.isBare) {
      templates.bare ??= buildTemplate(exchange, issue)
      return templates.bare
    }
    if (issue) return buildTemplate(exchange, issue)
    templates.accepted ??= buildTemplate(exchange, null)
    return templates.accepted
  }

  function buildTemplate(exchange: Exchange, issue: Problem | null): Template {
    const { selection } = exchange.endpoint
    const unpaid = selection ? `${UNPAID} ${selection.note}` : UNPAID
    const problem: Problem = {
      code: 'payment_required',
      detail: issue ? `${unpaid} With these arguments it would be rejected: ${issue.detail}` : unpaid,
      ...(issue?.issues && { issues: issue.issues }),
      ...(issue && { members: { refused_as: issue.code } }),
    }
    const { service, endpoint, requestId } = exchange
    const context = { baseUrl: service.baseUrl, dialect: endpoint.dialect, requestId }
    const { status, headers, body } = renderProblem(addTerms(exchange, problem), context)
    return { status, headers, body: String(body).split(requestId) }
  }

  /** @param error absent if the request had no payment. */
  function addTerms(exchange: Exchange, problem: Problem, error?: string): Problem {
    const channel = problem.members?.channel
    const { requestId, endpoint } = exchange
    const { headers, bodyMembers } = writeTerms(builtFor(exchange).shown, {
      requestId,
      now: clock(),
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

  return {
    offerOf: (exchange) => builtFor(exchange).offer,
    selectableOffers,
    isPayable,
    prepare: (exchange) => {
      const { signer } = parts.seller(exchange.service)
      if (!signer || !isPayable(exchange)) return
      const built = builtFor(exchange)
      const window = Math.floor(clock().getTime() / 1000 / OFFER_WINDOW_SECONDS)
      return built.window === window ? undefined : sign(built, signer, window)
    },
    challenge: async (exchange) => {
      const problem = await exchange.peekProblem()
      const { requestId, request, service, endpoint, pathParameters: path, query } = exchange
      const context = { requestId, now: clock() }
      if (acceptsHtml(request.headers.get('accept'))) {
        const { offer } = builtFor(exchange)
        // A page has long headers of its own.
        const { headers } = writeTerms({ ...offer, header: encodePaymentRequired(offer.brief) }, context)
        const fromUrl = { path, query }
        const { accepts } = offer.brief
        const page = await renderPayPage({ service, endpoint, terms: accepts, fromUrl, problem })
        return { status: 402, headers: { ...headers, ...page.headers, ...VARY }, body: page.body }
      }
      const terms = writeTerms(shownOf(exchange), context)
      const { status, headers, body } = templateOf(exchange, problem)
      return { status, headers: { ...headers, ...terms.headers, ...VARY }, body: body.join(requestId) }
    },
    withTerms: (exchange, problem) => {
      const reason = problem.members?.reason
      return addTerms(exchange, problem, typeof reason === 'string' ? reason : problem.code)
    },
    isOurs: (exchange, text) => {
      const { resourceUrl: listedUrl } = exchange
      if (text === listedUrl) return true
      if (!URL.canParse(text)) return false
      const url = new URL(text)
      const listed = new URL(listedUrl)
      const requested = new URL(exchange.request.url)
      return (
        origins.has(url.origin) && (url.pathname === listed.pathname || url.pathname === requested.pathname)
      )
    },
  }
}

/** The JSON of the extension, whose length is always the same. */
function measureSignIn(resourceUrl: string, { network }: SellerTerms): number {
  const challenge = createProofChallenge(resourceUrl, network, new Date())
  return Buffer.byteLength(`,"${SIGN_IN_WITH_X}":${JSON.stringify(challenge)}`)
}

const VARY = { vary: 'Accept' }
const UNPAID =
  'This call requires payment: x402 version 2 (header PAYMENT-REQUIRED), version 1 (`accepts`), or MPP (WWW-Authenticate) where it is offered.'
