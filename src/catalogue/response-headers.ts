import type { Endpoint } from './endpoint.ts'

/** Response headers that a page in a browser may read beyond the plain ones. */
const EXPOSED = [
  ...['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE', 'Payment-Receipt', 'X-Request-Id', 'Retry-After', 'Allow'],
  ...['X-Should-Retry', 'ETag', 'X-Total-Rows', 'X-Matched', 'X-Next-Cursor', 'X-Updated-At', 'X-Expires-At'],
].join(', ')
/** Request headers that a page in a browser may send. */
const ALLOWED = 'PAYMENT-SIGNATURE, SIGN-IN-WITH-X, Content-Type, Accept, If-Match'
const PREFLIGHT_SECONDS = 86_400

/** Sets what every answer carries. Payments need no cookie, so every origin may call. */
export function setStandardHeaders(headers: Headers, requestId: string, endpoint: Endpoint | null): void {
  headers.set('x-request-id', requestId)
  // The messages dialect has a name of its own for it, which its SDKs show.
  if (endpoint?.dialect === 'messages') headers.set('request-id', requestId)
  headers.set('access-control-allow-origin', '*')
  headers.set('access-control-expose-headers', EXPOSED)
  headers.set('x-content-type-options', 'nosniff')
  headers.set('referrer-policy', 'no-referrer')
  if (!endpoint || endpoint.pricing.kind === 'free') return
  // No cache may hand one payer's answer, or one challenge, to anyone else.
  headers.set('cache-control', 'no-store')
  headers.append('vary', 'PAYMENT-SIGNATURE')
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
