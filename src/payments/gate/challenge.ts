import {
  buildChallenge,
  type Challenge,
  encodePaymentRequired,
} from '../../catalogue/challenge/payment-required.ts'
import type { Endpoint } from '../../catalogue/endpoint.ts'
import type { Exchange } from '../../catalogue/exchange.ts'
import type { Service } from '../../catalogue/service.ts'
import type { SellerTerms } from '../../catalogue/terms.ts'
import type { Problem } from '../../http/problem.ts'
import { renderProblem } from '../../http/reply/problem-document.ts'
import type { Reply } from '../../http/reply/reply.ts'
import { createEchoes, type Echo } from '../authorization/echoes.ts'

/**
 * The prices of endpoints, built once for each: the 402 of an unpaid request, and what payments are matched
 * with.
 */
export interface Challenges {
  /** Whether the endpoint can be paid at all with this configuration of seller and facilitator. */
  isPayable(exchange: Exchange): boolean
  offerOf(exchange: Exchange): OfferedChallenge
  /** The 402 of a request without a payment; it lists the issues of the arguments that were sent. */
  challenge(exchange: Exchange): Promise<Reply>
  /** The header of any other 402, with the x402 code of its error. */
  termsHeader(exchange: Exchange, error: string): Readonly<Record<string, string>>
  /** Whether a `resource.url` is the requested endpoint, on this host or on another one of ours. */
  isOurs(exchange: Exchange, url: string): boolean
}

/** A challenge, and the parts of it that payments echo. */
export type OfferedChallenge = Challenge & { readonly echoes: readonly Echo[] }

type Offer = {
  readonly challenge: OfferedChallenge
  readonly facilitatorAddress: SellerTerms['facilitatorAddress']
  readonly edition: string
}

export function createChallenges(seller: (service: Service) => SellerTerms): Challenges {
  const offers = new WeakMap<Service, Map<Endpoint, Offer>>()
  const origins = new Set<string>()

  function offerOf({ service, endpoint }: Exchange): OfferedChallenge {
    let ofService = offers.get(service)
    if (!ofService) {
      ofService = new Map()
      offers.set(service, ofService)
      origins.add(new URL(service.baseUrl).origin)
    }
    const terms = seller(service)
    const known = ofService.get(endpoint)
    const { facilitatorAddress } = terms
    const edition = service.edition?.() ?? ''
    if (known && known.facilitatorAddress === facilitatorAddress && known.edition === edition)
      return known.challenge
    const built = buildChallenge(endpoint, service, terms)
    const challenge = { ...built, echoes: createEchoes(built.paymentRequired) }
    ofService.set(endpoint, { challenge, facilitatorAddress, edition })
    return challenge
  }

  return {
    offerOf,
    isPayable: ({ service, endpoint: { pricing } }) =>
      pricing.kind === 'exact' ||
      (pricing.kind === 'metered' &&
        (pricing.isExactFirst || seller(service).facilitatorAddress !== undefined)),
    challenge: async (exchange) => {
      const { paymentRequired, header } = offerOf(exchange)
      const fault = await exchange.peekProblem()
      const { x402Version, resource, accepts } = paymentRequired
      const problem: Problem = {
        code: 'payment_required',
        detail: fault ? `${UNPAID} With these arguments it would be rejected: ${fault.detail}` : UNPAID,
        ...(fault?.faults && { faults: fault.faults }),
        members: { ...(fault && { refused_as: fault.code }), x402Version, resource, accepts },
        headers: { 'payment-required': header },
      }
      const { service, endpoint, requestId } = exchange
      return renderProblem(problem, { baseUrl: service.baseUrl, dialect: endpoint.dialect, requestId })
    },
    termsHeader: (exchange, error) => ({
      'payment-required': encodePaymentRequired({ ...offerOf(exchange).paymentRequired, error }),
    }),
    isOurs: (exchange, text) => {
      if (text === offerOf(exchange).paymentRequired.resource.url) return true
      if (!URL.canParse(text)) return false
      const url = new URL(text)
      const listed = new URL(offerOf(exchange).paymentRequired.resource.url)
      const requested = new URL(exchange.request.url)
      return (
        origins.has(url.origin) && (url.pathname === listed.pathname || url.pathname === requested.pathname)
      )
    },
  }
}

const UNPAID =
  'This call requires payment. The header PAYMENT-REQUIRED and `accepts` list the requirements of x402 version 2.'
