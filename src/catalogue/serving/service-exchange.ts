import type { Problem } from '../../http/problem.ts'
import type { AskedRequest } from '../../http/request/message-request.ts'
import { type BodySource, RequestBody } from '../../http/request/request-body.ts'
import { givenInHeaders, peekProblem, type RequestParts, readRequest } from '../arguments/read-request.ts'
import type { Exchange, ReadRequest } from '../exchange.ts'
import type { Offer } from '../routes/offer.ts'
import type { Service } from '../service.ts'
import { runHandler } from './run-handler.ts'

export type ExchangeParts = {
  readonly service: Service
  readonly offer: Offer
  readonly request: AskedRequest
  readonly requestId: string
  readonly clientAddress: string
  readonly pathParameters: Readonly<Record<string, string>>
  /** The source of the body; null if the request certainly has none, so that none is awaited. */
  readonly body: BodySource | null
  readonly clock: () => Date
  /** Adds a trailer to the answer; absent if the connection does not support trailers. */
  readonly addTrailer?: Exchange['addTrailer']
}

/**
 * Binds a request to the endpoint of its path. The exchange has no getter: each literal with one gets its own
 * hidden class in V8, which retains the whole exchange until the old space is collected (5 kB a call,
 * `--trace-gc`).
 */
export function createExchange(parts: ExchangeParts): Exchange {
  const { service, request, requestId, clientAddress } = parts
  const { endpoint, fields, resourceUrl } = parts.offer
  let read: Promise<ReadRequest | { readonly problem: Problem }> | undefined
  let requestParts: RequestParts | undefined
  const toRequestParts = () => {
    requestParts ??= {
      endpoint,
      ports: service.ports,
      fields,
      query: queryOf(request.url),
      pathParameters: parts.pathParameters,
      headers: request.headers,
      body: parts.body && new RequestBody(parts.body),
    }
    return requestParts
  }

  return {
    service,
    endpoint,
    request,
    requestId,
    clientAddress,
    ...(parts.addTrailer && { addTrailer: parts.addTrailer }),
    resourceUrl,
    readRequest() {
      read ??= readRequest(toRequestParts())
      return read
    },
    bytesRead: () => requestParts?.body?.bytesRead() ?? 0,
    peekProblem: async () => {
      const query = queryOf(request.url)
      const isBare =
        parts.body === null &&
        query === '' &&
        Object.keys(parts.pathParameters).length === 0 &&
        givenInHeaders(endpoint, request.headers).length === 0
      return isBare ? parts.offer.bareProblem() : peekProblem(toRequestParts())
    },
    run: (readRequest, caller, signal) =>
      runHandler({
        endpoint,
        ports: service.ports,
        read: readRequest,
        caller,
        clientAddress,
        accept: request.headers.get('accept') ?? '',
        ifMatch: request.headers.get('if-match') ?? '',
        signal,
        now: parts.clock(),
      }),
  }
}

function queryOf(url: string): string {
  const start = url.indexOf('?')
  if (start < 0) return ''
  const end = url.indexOf('#', start)
  return end < 0 ? url.slice(start + 1) : url.slice(start + 1, end)
}
