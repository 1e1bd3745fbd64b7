import { IncomingMessage } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import type { AskedRequest } from '../../http/request/message-request.ts'
import type { BodySource } from '../../http/request/request-body.ts'

/** A request with its connection; a program that calls `fetch` has no socket. */
export type ServedRequest = {
  readonly request: AskedRequest
  readonly incoming?: HttpBindings['incoming'] | undefined
  readonly outgoing?: HttpBindings['outgoing'] | undefined
  readonly pathParameters: Readonly<Record<string, string>>
  /** Whether it is a health check, which is regular: neither rate-limited nor recorded. */
  readonly isHealthCheck?: boolean
  /** The same request of the HTTP adapter, if it came through the adapter. */
  readonly adapted?: Request
}

/** The source of a request's body; null if it certainly has none (RFC 9112 section 6). */
export function findBody({ request, incoming, adapted }: ServedRequest): BodySource | null {
  const { method, headers } = request
  if (method === 'GET' || method === 'HEAD' || headers.get('content-length') === '0') return null
  // The adapter reads HTTP/2 messages.
  if (!(incoming instanceof IncomingMessage)) return adapted?.body ?? null
  return headers.has('content-length') || headers.has('transfer-encoding') ? incoming : null
}

/**
 * A request that can only be challenged: its payment headers are removed, so no paid handler ever runs on
 * HEAD.
 */
export function toProbe({ url, headers, signal }: AskedRequest): AskedRequest {
  const get = (name: string) => (PAYING_HEADERS.has(name.toLowerCase()) ? null : headers.get(name))
  return { method: 'GET', url, headers: { get, has: (name) => get(name) !== null }, signal }
}

const PAYING_HEADERS: ReadonlySet<string> = new Set(['payment-signature', 'sign-in-with-x'])
