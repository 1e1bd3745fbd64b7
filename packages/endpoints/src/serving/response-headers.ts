import type { Endpoint } from '../endpoint.ts'

/**
 * Request headers that a browser page may send: any, since every SDK has its own. `*` does not include `Authorization`
 * (WHATWG Fetch, section 4.8); those that clients need are listed for what does not know `*`.
 */
const ALLOWED = [
  '*',
  'PAYMENT-SIGNATURE, X-PAYMENT, Authorization, Idempotency-Key, SIGN-IN-WITH-X',
  'Content-Type, Accept, If-Match, If-None-Match, If-Modified-Since',
  // Clients of x402 version 1 send this response header with their requests.
  'Access-Control-Expose-Headers',
].join(', ')
const PAYING = 'PAYMENT-SIGNATURE, X-PAYMENT, Authorization'
const PREFLIGHT_SECONDS = 86_400

/**
 * Headers of every answer. Payments need no cookie, so every origin may call and read every header: for a
 * request without credentials `*` exposes all of them (WHATWG Fetch, section 3.3.3).
 */
const ALWAYS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': '*',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/** The headers of an answer with those of every answer; `endpoint` null if there is none. */
export function withStandardHeaders(
  headers: Readonly<Record<string, string>>,
  requestId: string,
  endpoint: Endpoint | null,
): Record<string, string> {
  const standard: Record<string, string> = { ...headers, 'x-request-id': requestId, ...ALWAYS }
  // The messages dialect has its own name for it, which its SDKs show.
  if (endpoint?.dialect === 'messages') standard['request-id'] = requestId
  if (!endpoint || endpoint.pricing.kind === 'free') return standard
  // No cache may serve one payer's answer, or one challenge, to another caller.
  standard['cache-control'] = 'no-store'
  const { vary } = headers
  standard.vary = vary === undefined ? PAYING : `${vary}, ${PAYING}`
  return standard
}

/** The answer to a CORS preflight (WHATWG Fetch, section 3.2). */
export function preflightHeaders(
  allow: string,
  furtherHeaders: readonly string[] = [],
): Record<string, string> {
  return {
    allow,
    'access-control-allow-methods': allow,
    'access-control-allow-headers': [ALLOWED, ...furtherHeaders].join(', '),
    'access-control-max-age': `${PREFLIGHT_SECONDS}`,
  }
}
