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

/** The values of the upstream's redirect, and the browser's secret. */
export type Return = {
  readonly state: string | null
  readonly code: string | null
  readonly verifier: string | null
}

/**
 * Completes a sign-in, once.
 * @throws ProblemError `credential_refused` if it is not open, belongs to another browser, or is rejected by
 * the upstream.
 */
export async function endLogin(
  place: LoginPlace,
  given: Return,
  now: Date,
): Promise<{ readonly user: OAuthUser; readonly issued: IssuedSession }> {
  const { state, oauth } = place
  const begun = await state.db
    .deleteFrom('social_login')
    .where('state_hash', '=', hash(given.state ?? ''))
    .returning(['challenge', 'expires_at'])
    .executeTakeFirst()
  if (!begun || begun.expires_at <= now.getTime())
    throw refused('is not open: it was used before, or is older than ten minutes')
  if (given.verifier === null || toChallenge(given.verifier) !== begun.challenge)
    throw refused('was started in another browser')
  if (given.code === null) throw refused('was not allowed by the user')
  const grant = await oauth.exchange(given.code, given.verifier)
  const user = await oauth.readUser(grant.accessToken)
  return { user, issued: await issueSession(place, { userId: user.id, grant, now }) }
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
