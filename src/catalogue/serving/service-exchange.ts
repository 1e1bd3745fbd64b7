import type { Problem } from '../../http/problem.ts'
import type { AskedRequest } from '../../http/request/message-request.ts'
import { type BodySource, RequestBody } from '../../http/request/request-body.ts'
import type { Answer } from '../answer.ts'
import type { InputFields } from '../arguments/input-fields.ts'
import { type ArgumentSource, givenInHeaders, peekProblem, readRequest } from '../arguments/read-request.ts'
import { toEffects } from '../effect/effects.ts'
import type { Endpoint } from '../endpoint.ts'
import type { Caller, Exchange, ReadRequest } from '../exchange.ts'
import type { Offer } from '../routes/offer.ts'
import { scopeOf } from '../scope.ts'
import type { Service } from '../service.ts'
import { runHandler } from './run-handler.ts'

/** A request bound to the endpoint of its path. */
export class ServiceExchange implements Exchange, ArgumentSource {
  readonly service: Service
  readonly endpoint: Endpoint
  readonly request: AskedRequest
  readonly requestId: string
  readonly clientAddress: string
  readonly addTrailer?: NonNullable<Exchange['addTrailer']>
  readonly query: string
  readonly pathParameters: Readonly<Record<string, string>>
  readonly body: RequestBody | null
  readonly #offer: Offer
  readonly #clock: () => Date
  #reading: Promise<ReadRequest | { readonly problem: Problem }> | undefined

  /** @param parts `body` is null if the request certainly has none, so that none is awaited. */
  constructor(
    parts: Pick<Exchange, 'service' | 'request' | 'requestId' | 'clientAddress' | 'addTrailer'> & {
      readonly offer: Offer
      readonly pathParameters: Readonly<Record<string, string>>
      readonly body: BodySource | null
      readonly clock: () => Date
    },
  ) {
    this.service = parts.service
    this.endpoint = parts.offer.endpoint
    this.request = parts.request
    this.requestId = parts.requestId
    this.clientAddress = parts.clientAddress
    if (parts.addTrailer) this.addTrailer = parts.addTrailer
    this.query = queryOf(parts.request.url)
    this.pathParameters = parts.pathParameters
    this.body = parts.body && new RequestBody(parts.body)
    this.#offer = parts.offer
    this.#clock = parts.clock
  }

  get ports(): unknown {
    return this.service.ports
  }

  get fields(): InputFields {
    return this.#offer.fields
  }

  get headers(): AskedRequest['headers'] {
    return this.request.headers
  }

  get resourceUrl(): string {
    return this.#offer.resourceUrl
  }

  readRequest(): Promise<ReadRequest | { readonly problem: Problem }> {
    this.#reading ??= readRequest(this)
    return this.#reading
  }

  bytesRead(): number {
    return this.body?.bytesRead() ?? 0
  }

  async peekProblem(): Promise<Problem | null> {
    const isBare =
      this.body === null &&
      this.query === '' &&
      Object.keys(this.pathParameters).length === 0 &&
      givenInHeaders(this.endpoint, this.headers).length === 0
    return isBare ? this.#offer.bareProblem() : peekProblem(this)
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
