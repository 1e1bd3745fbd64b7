import type { Headers } from '../../fetching/fetched-answer.ts'

/**
 * Where a page's context sends whatever is not answered by us: a port of the browser's machine that nothing uses
 * (tcpmux, RFC 1078), also for hosts of that machine, which browsers reach without a proxy by default.
 */
export const DEAD_PROXY = { proxyServer: 'http://127.0.0.1:1', proxyBypassList: '<-loopback>' } as const

/**
 * Stands on every document, beside its own policy: no windows, dialogs, downloads and forms (`sandbox` without
 * their words), no WebSockets, workers, frames, plugins and WebRTC (CSP level 3, https://www.w3.org/TR/CSP3/).
 */
export const POLICY = [
  'sandbox allow-scripts allow-same-origin',
  'connect-src http: https: data: blob:',
  ...['worker', 'frame', 'object', 'media', 'font', 'manifest'].map((what) => `${what}-src 'none'`),
  "form-action 'none'",
  "webrtc 'block'",
].join('; ')

/** Runs before any script of a document or frame. These reach hosts beside the requests that are intercepted. */
export const FIRST_SCRIPT = `for (const name of [
  'RTCPeerConnection', 'webkitRTCPeerConnection', 'RTCDataChannel', 'RTCIceTransport', 'WebTransport',
  'WebSocketStream',
]) delete globalThis[name]`

/** Of what is fetched for a page, these are not handed on: they speak of the connection, or make a browser ask further. */
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

/** Headers of a page's request that its target is sent: never cookies, nor who the browser is. */
const SENT = /^(?:accept|accept-language|authorization|origin|referer|x-(?!forwarded-|real-ip$)[a-z0-9-]+)$/

/** The headers with which a page's request leaves us. */
export function toSentHeaders(headers: Headers): Headers {
  return Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => SENT.test(name)),
  )
}

type Header = { readonly name: string; readonly value: string }

/** The headers with which a document or a part of a page reaches the browser. */
export function toGivenHeaders(headers: Headers, { isDocument }: { readonly isDocument: boolean }): Header[] {
  const given = Object.entries(headers)
    .filter(([name]) => !NOT_HANDED_ON.has(name) && !name.startsWith('access-control-'))
    .map(([name, value]) => ({ name, value }))
  return isDocument ? [...given, { name: 'content-security-policy', value: POLICY }] : given
}

/**
 * Lets the page read what it asked another origin for: nothing in it is anybody's own, since no cookie was sent.
 * @param asked headers of the page's request
 */
export function corsHeaders(asked: Headers): Header[] {
  const askedFor = (wanted: string) =>
    Object.entries(asked).find(([name]) => name.toLowerCase() === wanted)?.[1]
  const origin = askedFor('origin')
  return [
    { name: 'access-control-allow-origin', value: origin ?? '*' },
    ...(origin === undefined ? [] : [{ name: 'access-control-allow-credentials', value: 'true' }]),
    { name: 'access-control-allow-methods', value: 'GET' },
    { name: 'access-control-allow-headers', value: askedFor('access-control-request-headers') ?? '*' },
    { name: 'access-control-expose-headers', value: '*' },
  ]
}
