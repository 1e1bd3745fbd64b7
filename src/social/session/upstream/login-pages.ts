import { html } from 'hono/html'
import { renderPage } from '../../../catalogue/documents/page-frame.ts'
import type { Page } from '../../../http/page.ts'
import { ProblemError } from '../../../http/problem.ts'
import { beginLogin, endLogin, LOGIN_MS, type LoginPlace } from './login.ts'

const COOKIE = 'tollbook_sign_in'
const NOT_STORED = { 'cache-control': 'no-store' }

/**
 * The browser sign-in at the upstream: the redirect there, and the callback, which shows the session once.
 */
export function buildLoginPages(place: LoginPlace | null, clock: () => Date): Readonly<Record<string, Page>> {
  const configured = () => {
    if (place) return place
    const detail = 'This service has no upstream to sign in at (TOLLBOOK_X_OAUTH_CLIENT_ID).'
    throw new ProblemError({ code: 'not_configured', detail })
  }
  return {
    '/auth/x/start': async ({ method }) => {
      refuseHead(method)
      const { oauth } = configured()
      const { authorizeUrl, verifier } = await beginLogin(configured(), clock())
      const headers = { location: authorizeUrl, 'set-cookie': toCookie(oauth.redirectUrl, verifier) }
      return new Response(null, { status: 302, headers: { ...headers, ...NOT_STORED } })
    },
    '/auth/x/callback': async ({ method, url, headers }) => {
      refuseHead(method)
      const { oauth } = configured()
      const verifier = readCookie(oauth.redirectUrl, headers.get('cookie') ?? '')
      const returned = { redirect: url.searchParams, verifier }
      const { user, issued } = await endLogin(configured(), returned, clock())
      const page = await renderPage({
        title: 'Signed in',
        main: html`<h1>Signed in as ${user.username}</h1>
<p>These two values act as you at this service until ${issued.expiresAt.toISOString()}. They are shown only this once: store them where only you can read them.</p>
<table><tr><th>auth_token</th><td><code>${issued.authToken}</code></td></tr>
<tr><th>ct0</th><td><code>${issued.ct0}</code></td></tr></table>`,
      })
      const ended = { 'set-cookie': toCookie(oauth.redirectUrl, null) }
      return new Response(page.body, { headers: { ...page.headers, ...ended, ...NOT_STORED } })
    },
  }
}

/** A sign-in starts and ends once, so a HEAD request, whose answer is not read, must not do either. */
function refuseHead(method: string): void {
  if (method === 'GET') return
  const detail = `${method} is not supported here; use GET.`
  throw new ProblemError({ code: 'method_not_allowed', detail, headers: { allow: 'GET, OPTIONS' } })
}

/**
 * The cookie for the callback; the upstream redirects there by a top-level GET, which Lax allows. Over https
 * its name has the prefix with which browsers accept it from this very host only (RFC 6265bis section
 * 4.1.3.2), which requires `Secure` and the path `/`; plain http has no such names, so there it is sent to
 * the callback only.
 */
function toCookie(redirectUrl: string, verifier: string | null): string {
  return [
    `${nameOf(redirectUrl)}=${verifier ?? ''}`,
    `Path=${isSecure(redirectUrl) ? '/' : new URL(redirectUrl).pathname}`,
    `Max-Age=${verifier === null ? 0 : LOGIN_MS / 1000}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure(redirectUrl) ? ['Secure'] : []),
  ].join('; ')
}

function readCookie(redirectUrl: string, header: string): string | null {
  const pairs = header.split(';').map((pair) => pair.trim().split('='))
  return pairs.find(([name]) => name === nameOf(redirectUrl))?.[1] ?? null
}

function nameOf(redirectUrl: string): string {
  return isSecure(redirectUrl) ? `__Host-${COOKIE}` : COOKIE
}

function isSecure(redirectUrl: string): boolean {
  return new URL(redirectUrl).protocol === 'https:'
}
