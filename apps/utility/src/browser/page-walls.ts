import type { Headers } from '@tollbook/safe-fetch/fetched-answer'

/**
 * Proxy for every request of a page's context that is not intercepted: a port of the browser's machine that
 * nothing uses (tcpmux, RFC 1078). It also covers hosts of that machine, which browsers reach without a proxy
 * by default.
 */
export const DEAD_PROXY = { proxyServer: 'http://127.0.0.1:1', proxyBypassList: '<-loopback>' } as const

/**
 * Applied to every document in addition to its own policy: no windows, dialogs, downloads and forms
 * (`sandbox` without their keywords), no WebSockets, workers, frames, plugins and WebRTC (CSP level 3,
 * https://www.w3.org/TR/CSP3/).
 */
export const POLICY = [
  'sandbox allow-scripts allow-same-origin',
  'connect-src http: https: data: blob:',
  ...['worker', 'frame', 'object', 'media', 'font', 'manifest'].map((what) => `${what}-src 'none'`),
  "form-action 'none'",
  "webrtc 'block'",
].join('; ')

/**
 * Runs before any script of a document or frame. The first APIs connect to hosts without passing request interception;
 * dialogs stop the browser's own loop, which serves the pages of others.
 */
export const FIRST_SCRIPT = `for (const name of [
  'RTCPeerConnection', 'webkitRTCPeerConnection', 'RTCDataChannel', 'RTCIceTransport', 'WebTransport',
  'WebSocketStream', 'alert', 'confirm', 'prompt', 'print',
]) delete globalThis[name]`

/** Response headers that are not forwarded: they concern the connection, or cause further requests. */
const NOT_HANDED_ON = new Set([
  'connection',
  'keep-alive',
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'trailer',
  'upgrade',
  'alt-svc',
  'set-cookie',
  'www-authenticate',
  'proxy-authenticate',
  'content-disposition',
  'strict-transport-security',
  'report-to',
  'reporting-endpoints',
  'nel',
  'clear-site-data',
  'accept-ch',
  'critical-ch',
  'speculation-rules',
  'sourcemap',
  'x-sourcemap',
  'content-security-policy-report-only',
])

/** Headers of a page's request that are forwarded to the target: never cookies, nor the browser's identity. */
const SENT = /^(?:accept|accept-language|authorization|origin|referer|x-(?!forwarded-|real-ip$)[a-z0-9-]+)$/

/** The headers of the outgoing request for a page. */
export function toSentHeaders(headers: Headers): Headers {
  return Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => SENT.test(name)),
  )
}

type Header = { readonly name: string; readonly value: string }

/** The response headers that the browser receives for a document or subresource. */
export function toBrowserHeaders(
  headers: Headers,
  { isDocument }: { readonly isDocument: boolean },
): Header[] {
  const provided = Object.entries(headers)
    .filter(([name]) => !NOT_HANDED_ON.has(name) && !name.startsWith('access-control-'))
    .map(([name, value]) => ({ name, value }))
  return isDocument ? [...provided, { name: 'content-security-policy', value: POLICY }] : provided
}

/**
 * Allows the page to read responses from another origin: they hold no private data, since no cookie was sent.
 * @param requestHeaders headers of the page's request
 */
export function corsHeaders(requestHeaders: Headers): Header[] {
  const askedFor = (wanted: string) =>
    Object.entries(requestHeaders).find(([name]) => name.toLowerCase() === wanted)?.[1]
  const origin = askedFor('origin')
  return [
    { name: 'access-control-allow-origin', value: origin ?? '*' },
    ...(origin === undefined ? [] : [{ name: 'access-control-allow-credentials', value: 'true' }]),
    { name: 'access-control-allow-methods', value: 'GET' },
    { name: 'access-control-allow-headers', value: askedFor('access-control-request-headers') ?? '*' },
    { name: 'access-control-expose-headers', value: '*' },
  ]
}
