import { parseJson } from '@tollbook/flow/parse-json'
import type { Problem } from '@tollbook/http/problem'
import type { SafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { askUpstreamJson, type UpstreamRequest } from '@tollbook/upstream/ask-upstream'
import * as z from 'zod'
import { socialId } from '../../model.ts'
import type { Grant } from '../session-store.ts'

/** The OAuth endpoints, and this service's application. */
export type OAuthSettings = {
  readonly authorizeUrl: string
  readonly tokenUrl: string
  /** Returns the owner of an access token, in the format of the X API v2 `/2/users/me`. */
  readonly userUrl: string
  /** Compared with the `iss` of a redirect, if it has one (RFC 9207). */
  readonly issuer: string
  readonly redirectUrl: string
  readonly clientId: string
  /** Null for a public client, which only PKCE protects. */
  readonly clientSecret: string | null
}

export type OAuthUser = { readonly id: string; readonly username: string }

/** OAuth 2.0 Authorization Code with PKCE (RFC 6749 section 4.1, RFC 7636) at the upstream of the settings. */
export type OAuthClient = {
  readonly redirectUrl: string
  readonly issuer: string
  readonly toAuthorizeUrl: (login: { readonly state: string; readonly challenge: string }) => string
  /** @throws ProblemError `credential_refused` if the upstream rejects the code. */
  readonly exchange: (code: string, verifier: string) => Promise<Grant>
  /** @throws ProblemError `credential_refused` if the upstream rejects the refresh token. */
  readonly renew: (refreshToken: string) => Promise<Grant>
  readonly readUser: (accessToken: string) => Promise<OAuthUser>
}

/** The scopes of the two endpoints, and for a renewable token (X API v2). */
const SCOPES = 'tweet.read users.read media.write offline.access'
/** Longer than an answer takes; concurrent renewals of one session wait this long for each other. */
export const OAUTH_TIMEOUT_MS = 10_000
const MAX_BYTES = 64_000
/** RFC 6749 section 5.1 only recommends `expires_in`. Chosen: short, since renewing is cheap. */
const DEFAULT_LIFETIME_S = 3_600

/** RFC 6749 section 5.1. */
const tokenAnswer = z.object({
  access_token: z.string().min(1),
  token_type: z.string().regex(/^bearer$/i),
  expires_in: z.number().positive().default(DEFAULT_LIFETIME_S),
  refresh_token: z.string().min(1).nullish(),
})
const userAnswer = z.object({ data: z.object({ id: socialId, username: z.string().min(1) }) })
/** Errors about the code or token (RFC 6749 section 5.2), not about the application; X sends the second. */
const refusal = z.object({ error: z.enum(['invalid_grant', 'invalid_request']) })
const REFUSED: Problem = {
  code: 'credential_refused',
  detail: 'The sign-in is no longer valid; sign in again.',
}

/** @param fetch may reach private networks, since the operator configures the upstream. */
export function createOAuthClient(
  settings: OAuthSettings,
  { fetch, clock }: { readonly fetch: SafeFetch; readonly clock: () => Date },
): OAuthClient {
  const { clientId, clientSecret, redirectUrl } = settings

  async function askForToken(
    parameters: Readonly<Record<string, string>>,
    previousToken: string | null,
  ): Promise<Grant> {
    const { access_token, expires_in, refresh_token } = await ask(fetch, {
      method: 'POST',
      url: settings.tokenUrl,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(clientSecret !== null && { authorization: toBasic(clientId, clientSecret) }),
      },
      body: `${new URLSearchParams({ ...parameters, client_id: clientId })}`,
      findRefusal: ({ status, body }) =>
        status === 400 && refusal.safeParse(parseJson(body)).success ? REFUSED : null,
      schema: tokenAnswer,
    })
    return {
      accessToken: access_token,
      // An upstream that returns no new one continues to accept the last (RFC 6749 section 6).
      refreshToken: refresh_token ?? previousToken,
      expiresAt: clock().getTime() + Math.floor(expires_in * 1000),
    }
  }

  return {
    redirectUrl,
    issuer: settings.issuer,
    toAuthorizeUrl({ state, challenge }) {
      const url = new URL(settings.authorizeUrl)
      const parameters = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUrl,
        scope: SCOPES,
        state,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      }
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
      return url.href
    },
    exchange: (code, verifier) =>
      askForToken(
        { grant_type: 'authorization_code', code, redirect_uri: redirectUrl, code_verifier: verifier },
        null,
      ),
    renew: (refreshToken) =>
      askForToken({ grant_type: 'refresh_token', refresh_token: refreshToken }, refreshToken),
    async readUser(accessToken) {
      const headers = { authorization: `Bearer ${accessToken}` }
      return (await ask(fetch, { method: 'GET', url: settings.userUrl, headers, schema: userAnswer })).data
    },
  }
}

/** RFC 6749 section 2.3.1. */
function toBasic(clientId: string, clientSecret: string): string {
  const pair = [clientId, clientSecret].map(encodeURIComponent).join(':')
  return `Basic ${Buffer.from(pair).toString('base64')}`
}

type Asked<Answer> = Pick<UpstreamRequest, 'method' | 'url' | 'headers' | 'body' | 'findRefusal'> & {
  readonly schema: z.ZodType<Answer>
}

/** Calls the upstream; not aborted if the caller disconnects, since a renewed token must be stored. */
function ask<Answer>(fetch: SafeFetch, request: Asked<Answer>): Promise<Answer> {
  const bounds = { maxBytes: MAX_BYTES, timeoutMs: OAUTH_TIMEOUT_MS }
  const reported = { name: 'sign-in upstream', expected: 'valid OAuth 2.0' }
  return askUpstreamJson(fetch, { ...request, ...bounds, ...reported }, new AbortController().signal)
}
