import { createHash, randomBytes } from 'node:crypto'
import { ProblemError } from '../../../http/problem.ts'
import type { State } from '../../../state/state.ts'
import type { SessionKeys } from '../session-keys.ts'
import { type IssuedSession, issueSession } from '../session-store.ts'
import type { OAuthClient, OAuthUser } from './oauth-client.ts'

/** Time limit of a sign-in at the upstream. */
export const LOGIN_MS = 600_000
/** 43 characters of base64url, as RFC 7636 section 4.1 recommends. */
const SECRET_BYTES = 32

export type LoginPlace = { readonly state: State; readonly keys: SessionKeys; readonly oauth: OAuthClient }

/**
 * A started sign-in: the URL to send the user to, and the secret that the browser stores until the callback.
 */
export type BegunLogin = { readonly authorizeUrl: string; readonly verifier: string }

/**
 * Starts a sign-in. The PKCE verifier stays with the browser that starts it, so that no other browser can
 * complete it, and the stored hashes of both secrets complete none.
 */
export async function beginLogin({ state, oauth }: LoginPlace, now: Date): Promise<BegunLogin> {
  const [secret, verifier] = [randomText(), randomText()]
  const challenge = toChallenge(verifier)
  await state.db
    .insertInto('social_login')
    .values({ state_hash: hash(secret), challenge, expires_at: now.getTime() + LOGIN_MS })
    .execute()
  return { authorizeUrl: oauth.toAuthorizeUrl({ state: secret, challenge }), verifier }
}

/** The parameters of the upstream's redirect, and the browser's secret. */
export type LoginReturn = { readonly redirect: URLSearchParams; readonly verifier: string | null }

/**
 * Completes a sign-in, once.
 * @throws ProblemError `credential_refused` if it is not open, belongs to another browser or server, or is
 * rejected by the upstream.
 */
export async function endLogin(
  place: LoginPlace,
  { redirect, verifier }: LoginReturn,
  now: Date,
): Promise<{ readonly user: OAuthUser; readonly issued: IssuedSession }> {
  const { state, oauth } = place
  const { secret, code } = readRedirect(redirect, oauth.issuer)
  const begun = await state.db
    .deleteFrom('social_login')
    .where('state_hash', '=', hash(secret ?? ''))
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

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** RFC 7636 section 4.2. */
function toChallenge(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}
