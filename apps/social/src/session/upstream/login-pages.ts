import { hash, randomBytes } from 'node:crypto'
import { renderPage } from '@tollbook/endpoints/documents/page-frame'
import type { Page } from '@tollbook/http/page'
import { ProblemError } from '@tollbook/http/problem'
import { html } from 'hono/html'
import type { State } from '../../state/state.ts'
import type { SessionKeys } from '../session-keys.ts'
import { type IssuedSession, issueSession } from '../session-store.ts'
import type { OAuthClient, OAuthUser } from './oauth-client.ts'

/** Time limit of a sign-in at the upstream. */
const LOGIN_MS = 600_000
/** 43 characters of base64url, as RFC 7636 section 4.1 recommends. */
const SECRET_BYTES = 32

type LoginPlace = { readonly state: State; readonly keys: SessionKeys; readonly oauth: OAuthClient }

/** A started sign-in: the URL to send the user to, and the secret that the browser stores until the callback. */
type BegunLogin = { readonly authorizeUrl: string; readonly verifier: string }

/** The parameters of the upstream's redirect, and the browser's secret. */
type LoginReturn = { readonly redirect: URLSearchParams; readonly verifier: string | null }

const COOKIE = 'tollbook_sign_in'
const NOT_STORED = { 'cache-control': 'no-store' }

/** The browser sign-in at the upstream: the redirect there, and the callback, which shows the session once. */
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

/**
 * Starts a sign-in. The PKCE verifier stays with the browser that starts it, so that no other browser can
 * complete it, and the stored hashes of both secrets complete none.
 */
async function beginLogin({ state, oauth }: LoginPlace, now: Date): Promise<BegunLogin> {
  const [secret, verifier] = [randomText(), randomText()]
  const challenge = toChallenge(verifier)
  await state.db
    .insertInto('social_login')
    .values({ state_hash: hash('sha256', secret), challenge, expires_at: now.getTime() + LOGIN_MS })
    .execute()
  return { authorizeUrl: oauth.toAuthorizeUrl({ state: secret, challenge }), verifier }
}

/**
 * Completes a sign-in, once.
 * @throws ProblemError `credential_refused` if it is not open, belongs to another browser or server, or is
 * rejected by the upstream.
 */
async function endLogin(
  place: LoginPlace,
  { redirect, verifier }: LoginReturn,
  now: Date,
): Promise<{ readonly user: OAuthUser; readonly issued: IssuedSession }> {
  const { state, oauth } = place
  const { secret, code } = readRedirect(redirect, oauth.issuer)
  const begun = await state.db
    .deleteFrom('social_login')
    .where('state_hash', '=', hash('sha256', secret ?? ''))
    .returning(['challenge', 'expires_at'])
    .executeTakeFirst()
  if (!begun || begun.expires_at <= now.getTime())
    throw refused('is not open: it was used before, or is older than ten minutes')
  if (verifier === null || toChallenge(verifier) !== begun.challenge)
    throw refused('was started in another browser')
  if (code === null) throw refused('was not allowed by the user')
  const grant = await oauth.exchange(code, verifier)
  const user = await oauth.readUser(grant.accessToken)
  return { user, issued: await issueSession(place, { userId: user.id, grant, now }) }
}

/** Each parameter occurs at most once (RFC 6749 section 3.1), and `iss` is ours if present (RFC 9207). */
function readRedirect(redirect: URLSearchParams, issuer: string) {
  const names = ['state', 'code', 'iss']
  if (names.some((name) => redirect.getAll(name).length > 1))
    throw refused('returned with a repeated parameter')
  const [secret = null, code = null, from = null] = names.map((name) => redirect.get(name))
  if (from !== null && from !== issuer) throw refused('returned from another server than it was sent to')
  return { secret, code }
}

function refused(why: string): ProblemError {
  const detail = `This sign-in ${why}; start again at GET /auth/x/start.`
  return new ProblemError({ code: 'credential_refused', detail })
}

function randomText(): string {
  return randomBytes(SECRET_BYTES).toString('base64url')
}

/** RFC 7636 section 4.2. */
function toChallenge(verifier: string): string {
  return hash('sha256', verifier, 'base64url')
}
