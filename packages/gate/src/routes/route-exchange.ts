import { parseUsd } from '@tollbook/chain/usdc'
import type { Problem } from '@tollbook/http/problem'
import type { RequestHead } from '@tollbook/http/request/message-request'
import type { UploadedFile } from '@tollbook/http/request/uploaded-file'
import type { Answer } from '../contract/answer.ts'
import type { Caller, Exchange, Paywall, ReadRequest } from '../contract/exchange.ts'
import type { OfferedRoute } from '../contract/offered-route.ts'
import type { PaymentRequirements } from '../contract/terms.ts'
import { type HandlerAnswer, toAnswer } from './handler-answer.ts'
import { MeteredPayment, type Payment } from './payment.ts'
import type { Route } from './route.ts'

/** The body of a request, as far as it tells two requests apart. */
export type RequestContent =
  | { readonly bytes: Uint8Array }
  /** A body that the framework has already parsed. */
  | { readonly value: unknown }

/** One request at a paid route, as an adapter of a framework hands it over. */
export type RouteCall = {
  /** With its full URL. */
  readonly request: RequestHead
  /** Such as `/weather/:city`. */
  readonly pattern: string
  /** Where the route is listed; default: the gate's `baseUrl`, else the origin of the request. */
  readonly origin?: string
  /** The address of the client, or `unknown`. */
  readonly clientAddress: string
  /** The body, and leaves it for the handler; null if it is longer. @throws when the client disconnects before its end */
  readContent(maxBytes: number): Promise<RequestContent | null>
  /** Runs the handler, once at most. */
  run(payment: Payment, signal: AbortSignal): Promise<HandlerAnswer>
  /** Whether the client gets nothing of an answer before its end; default false. */
  readonly isCollected?: boolean
  /** Renders the page for people; default none. */
  renderPaywall?(terms: readonly PaymentRequirements[], problem: Problem | null): Promise<Paywall>
}

/** Chosen: more than an API call sends, little enough for many at once in memory. */
const MAX_BODY_BYTES = 1_048_576

const VARYING = ['range', 'accept', 'accept-language', 'accept-encoding', 'content-type']

/** A request at a route of a foreign server, as the gate reads it. */
export class RouteExchange implements Exchange {
  readonly service: OfferedRoute['service']
  readonly endpoint: OfferedRoute['endpoint']
  readonly resourceUrl: string
  readonly discovery: OfferedRoute['discovery']
  readonly request: RequestHead
  readonly requestId: string
  readonly clientAddress: string
  readonly maxBodyBytes: number
  readonly maxPeekBytes = 0
  readonly isUndecided = false
  /** What its handler accepts is not known before it runs. */
  readonly isBare = true
  readonly isCollected: boolean
  readonly hasTrailers = false
  readonly renderPaywall?: NonNullable<RouteCall['renderPaywall']>
  readonly #route: Route
  readonly #call: RouteCall
  readonly #onExcess: (message: string) => void
  #bytesRead = 0

  constructor(parts: {
    readonly route: Route
    readonly offer: OfferedRoute
    readonly call: RouteCall
    /** The request of the call, without its payment where nothing may be paid. */
    readonly request: RequestHead
    readonly requestId: string
    readonly onExcess: (message: string) => void
  }) {
    const { route, offer, call } = parts
    this.service = offer.service
    this.endpoint = offer.endpoint
    this.resourceUrl = offer.resourceUrl
    this.discovery = offer.discovery
    this.request = parts.request
    this.requestId = parts.requestId
    this.clientAddress = call.clientAddress
    this.maxBodyBytes = route.maxBodyBytes ?? MAX_BODY_BYTES
    this.isCollected = call.isCollected ?? false
    if (call.renderPaywall) this.renderPaywall = call.renderPaywall.bind(call)
    this.#route = route
    this.#call = call
    this.#onExcess = parts.onExcess
  }

  async readRequest(): Promise<ReadRequest | { readonly problem: Problem }> {
    let content: RequestContent | null
    try {
      content = await this.#call.readContent(this.maxBodyBytes)
    } catch {
      return { problem: { code: 'invalid_request', detail: 'The body was cut off.' } }
    }
    if (!content)
      return {
        problem: { code: 'too_large', detail: `The body has more than ${this.maxBodyBytes} bytes.` },
      }
    const files = new Map<string, UploadedFile>()
    if ('bytes' in content) {
      this.#bytesRead = content.bytes.byteLength
      const contentType = this.request.headers.get('content-type') ?? ''
      if (content.bytes.byteLength > 0) files.set('body', { contentType, bytes: content.bytes })
    }
    const { fingerprint } = this.#route
    if (fingerprint) return { input: { given: fingerprint(this.request) }, files: new Map() }
    return { input: this.#identify(content), files }
  }

  bytesRead(): number {
    return this.#bytesRead
  }

  whyUnavailable(): Problem | null {
    const { isAvailable } = this.#route
    if (!isAvailable || isAvailable()) return null
    return { code: 'unavailable', detail: 'This route is not available right now. Nothing was charged.' }
  }

  *selectable(): Generator<OfferedRoute> {}

  async peekProblem(): Promise<Problem | null> {
    return null
  }

  async run(_: ReadRequest, { payer, callId }: Caller, signal: AbortSignal): Promise<Answer> {
    if (payer === null) throw new TypeError('unreachable: the routes of a gate are paid')
    const { pricing } = this.endpoint
    const payment = new MeteredPayment({
      payer,
      id: callId,
      amount: parseUsd(pricing.kind === 'free' ? '0' : pricing.priceUsd),
      isMetered: pricing.kind === 'metered',
      onExcess: (charge) => this.#onExcess(`a charge of ${charge} micro-USDC was cut to the maximum`),
    })
    const metering = {
      isMetered: pricing.kind === 'metered',
      get charged() {
        return payment.charged
      },
    }
    const answering = this.#call.run(payment, signal).then((answer) => toAnswer(answer, metering))
    return untilAborted(answering, signal)
  }

  addTrailer(): void {}

  #identify(content: RequestContent): Record<string, unknown> {
    const { method, url, headers } = this.request
    const { pathname, search } = new URL(url)
    const varying = VARYING.map((name) => [name, headers.get(name) ?? ''])
    return {
      method,
      path: pathname,
      query: search,
      headers: Object.fromEntries(varying),
      ...('value' in content && { body: content.value }),
    }
  }
}

/** A handler that ignores the signal runs on; nobody reads what it still answers. */
function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', abort))
}
