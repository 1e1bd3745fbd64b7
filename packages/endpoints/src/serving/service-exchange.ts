import type { Answer } from '@tollbook/gate/contract/answer'
import type { Caller, Exchange, Paywall, ReadRequest } from '@tollbook/gate/contract/exchange'
import type { OfferedRoute, RouteDiscovery } from '@tollbook/gate/contract/offered-route'
import { scopeOf } from '@tollbook/gate/contract/paid-route'
import type { PaymentRequirements } from '@tollbook/gate/contract/terms'
import type { Problem } from '@tollbook/http/problem'
import { whenWritten } from '@tollbook/http/reply/when-written'
import { RequestBody } from '@tollbook/http/request/request-body'
import { findBody, type ServedRequest } from '@tollbook/http/request/served-request'
import type { InputFields } from '../arguments/input-fields.ts'
import {
  type ArgumentSource,
  givenInHeaders,
  maxBytesOf,
  peekBounds,
  peekProblem,
  readRequest,
} from '../arguments/read-request.ts'
import { toEffects } from '../effect/effects.ts'
import type { Endpoint } from '../endpoint.ts'
import { renderPayPage } from '../paying/pay-page.ts'
import type { Offer } from '../routes/offer.ts'
import { toOfferedRoute } from '../routes/offered-route.ts'
import { readAvailability } from '../routes/read-availability.ts'
import type { Service } from '../service.ts'
import { runHandler } from './run-handler.ts'

/** A request bound to the endpoint of its path, or to the one that its body selects. */
export class ServiceExchange implements Exchange, ArgumentSource {
  readonly service: Service
  readonly request: ServedRequest
  readonly requestId: string
  readonly clientAddress: string
  readonly query: string
  readonly pathParameters: Readonly<Record<string, string>>
  readonly body: RequestBody | null
  readonly #offerAt: ((path: string) => Offer | undefined) | undefined
  readonly #clock: () => Date
  #offer: Offer
  #isUndecided: boolean
  #reading: Promise<ReadRequest | { readonly problem: Problem }> | undefined
  #peeking: Promise<Problem | null> | undefined

  constructor(parts: {
    readonly service: Service
    readonly offer: Offer
    /** Other endpoints of the same method, which the body may select. */
    readonly offerAt?: (path: string) => Offer | undefined
    readonly request: ServedRequest
    readonly pathParameters: Readonly<Record<string, string>>
    readonly requestId: string
    readonly clientAddress: string
    readonly clock: () => Date
  }) {
    const body = findBody(parts.request)
    this.service = parts.service
    this.request = parts.request
    this.requestId = parts.requestId
    this.clientAddress = parts.clientAddress
    this.query = queryOf(parts.request.url)
    this.pathParameters = parts.pathParameters
    this.body = body && new RequestBody(body)
    this.#offer = parts.offer
    this.#offerAt = parts.offerAt
    this.#isUndecided = parts.offer.endpoint.selection !== undefined && body !== null
    this.#clock = parts.clock
  }

  get endpoint(): Endpoint {
    return this.#offer.endpoint
  }

  get isUndecided(): boolean {
    return this.#isUndecided
  }

  get ports(): unknown {
    return this.service.ports
  }

  get fields(): InputFields {
    return this.#offer.fields
  }

  get headers(): ServedRequest['headers'] {
    return this.request.headers
  }

  get signal(): AbortSignal {
    return this.request.signal
  }

  get isCollected(): boolean {
    return this.request.inner !== undefined
  }

  /** Trailers need the chunks of HTTP/1.1 (RFC 9112 section 7.1.2). */
  get hasTrailers(): boolean {
    return this.request.inner !== undefined || this.request.incoming?.httpVersion === '1.1'
  }

  get resourceUrl(): string {
    return this.#offer.resourceUrl
  }

  get discovery(): RouteDiscovery {
    return this.#offer.discovery
  }

  get maxBodyBytes(): number {
    return maxBytesOf(this)
  }

  get maxPeekBytes(): number {
    return peekBounds(this.endpoint).bytes
  }

  whyUnavailable(): Problem | null {
    const availability = readAvailability(this.service, this.endpoint)
    return availability.isAvailable ? null : availability.problem
  }

  /** Endpoints with the same fields and other prices. */
  *selectable(): Generator<OfferedRoute> {
    const { service, endpoint } = this
    for (const other of this.#isUndecided ? service.endpoints : [])
      if (other !== endpoint && other.input === endpoint.input && other.pricing.kind !== 'free')
        yield toOfferedRoute(service, other)
  }

  select(given: Readonly<Record<string, unknown>>): void {
    if (!this.#isUndecided) return
    const path = this.endpoint.selection?.find(given, this.ports) ?? null
    const offer = path === null ? undefined : this.#offerAt?.(path)
    if (offer) this.#offer = offer
    this.#isUndecided = false
  }

  readRequest(): Promise<ReadRequest | { readonly problem: Problem }> {
    this.#reading ??= readRequest(this)
    return this.#reading
  }

  addTrailer(name: string, value: string): void {
    const { inner, outgoing } = this.request
    if (inner) inner.trailers[name] = value
    else if (this.hasTrailers) outgoing?.addTrailers({ [name]: value })
  }

  bytesRead(): number {
    return this.body?.bytesRead() ?? 0
  }

  get isBare(): boolean {
    return (
      this.body === null &&
      this.query === '' &&
      Object.keys(this.pathParameters).length === 0 &&
      givenInHeaders(this.endpoint, this.headers).length === 0
    )
  }

  async peekProblem(): Promise<Problem | null> {
    if (this.isBare) return this.#offer.bareProblem()
    this.#peeking ??= peekProblem(this)
    return this.#peeking
  }

  renderPaywall(terms: readonly PaymentRequirements[], problem: Problem | null): Promise<Paywall> {
    const { service, endpoint, pathParameters: path, query } = this
    return renderPayPage({ service, endpoint, terms, fromUrl: { path, query }, problem })
  }

  run({ input, files }: ReadRequest, caller: Caller, signal: AbortSignal): Promise<Answer> {
    const { endpoint, headers } = this
    // Other callers may read a public answer, and must not learn who the caller was.
    const isForOthers = endpoint.pricing.kind !== 'free' && scopeOf(endpoint, input) === 'public'
    return runHandler(endpoint, {
      input,
      files,
      payer: caller.payer,
      callId: caller.callId,
      effects: toEffects(endpoint.effect, caller.effects),
      clientAddress: isForOthers ? 'unknown' : this.clientAddress,
      ports: this.ports,
      signal,
      whenWritten: () => whenWritten(this.request),
      now: this.#clock(),
      accept: headers.get('accept') ?? '',
      ifMatch: headers.get('if-match') ?? '',
    })
  }
}

function queryOf(url: string): string {
  const start = url.indexOf('?')
  if (start < 0) return ''
  const end = url.indexOf('#', start)
  return end < 0 ? url.slice(start + 1) : url.slice(start + 1, end)
}
