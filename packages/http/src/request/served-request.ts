import { IncomingMessage } from 'node:http'
import type { RequestHead } from './message-request.ts'
import type { NodeConnection } from './node-connection.ts'
import type { BodySource } from './request-body.ts'

/** A request with its connection; a program that calls `fetch` has no socket. */
export type ServedRequest = RequestHead & {
  readonly incoming?: NodeConnection['incoming'] | undefined
  readonly outgoing?: NodeConnection['outgoing'] | undefined
  /** The same request of the HTTP adapter, if it came through the adapter. */
  readonly adapted?: Request
  readonly inner?: InnerRequest | undefined
}

/** What a request has that the service sends to itself, in the place of a connection. */
export type InnerRequest = {
  /** The address of the client on whose behalf it is sent. */
  readonly clientAddress: string
  /** Receives the trailer fields of the answer. */
  readonly trailers: Record<string, string>
}

/** What an application receives with a request of the adapter. */
export type AppBindings = Partial<NodeConnection> & { readonly inner?: InnerRequest }

/** A request that came through the HTTP adapter. */
export class AdaptedRequest implements ServedRequest {
  readonly adapted: Request
  readonly incoming: NodeConnection['incoming'] | undefined
  readonly outgoing: NodeConnection['outgoing'] | undefined
  readonly inner: InnerRequest | undefined

  constructor(adapted: Request, { incoming, outgoing, inner }: AppBindings = {}) {
    this.adapted = adapted
    this.incoming = incoming
    this.outgoing = outgoing
    this.inner = inner
  }

  get method(): string {
    return this.adapted.method
  }

  get url(): string {
    return this.adapted.url
  }

  get headers(): Headers {
    return this.adapted.headers
  }

  get signal(): AbortSignal {
    return this.adapted.signal
  }
}

/** The source of a request's body; null if it certainly has none (RFC 9112 section 6). */
export function findBody({ method, headers, incoming, adapted }: ServedRequest): BodySource | null {
  if (method === 'GET' || method === 'HEAD' || headers.get('content-length') === '0') return null
  // The adapter reads HTTP/2 messages.
  if (!(incoming instanceof IncomingMessage)) return adapted?.body ?? null
  return headers.has('content-length') || headers.has('transfer-encoding') ? incoming : null
}

/** A request that can only be challenged: its payment headers are removed, so no paid handler ever runs on HEAD. */
export function toProbe({ url, headers, signal, incoming, outgoing }: ServedRequest): ServedRequest {
  const get = (name: string) => (PAYING_HEADERS.has(name.toLowerCase()) ? null : headers.get(name))
  const visible = { get, has: (name: string) => get(name) !== null }
  return { method: 'GET', url, headers: visible, signal, incoming, outgoing }
}

/** Whether a request has a header by which it is paid, as no page that a person opens has. */
export function carriesPayment(headers: RequestHead['headers']): boolean {
  return [...PAYING_HEADERS].some((name) => headers.has(name))
}

const PAYING_HEADERS: ReadonlySet<string> = new Set([
  'payment-signature',
  'x-payment',
  'authorization',
  'sign-in-with-x',
])
