import type { Page } from '@tollbook/http/page'
import type { Config } from '@tollbook/runtime/config'
import { createUpstreamFetch } from '@tollbook/runtime/places/outside'
import { findImage } from '../image/image-store.ts'
import { loadSecret } from '../load-secret.ts'
import { createCursors } from '../paging/cursors.ts'
import type { SocialPorts } from '../ports.ts'
import { createSessionKeys, type SessionKeys } from '../session/session-keys.ts'
import { createSessions } from '../session/sessions.ts'
import { buildLoginPages } from '../session/upstream/login-pages.ts'
import { createOAuthClient, type OAuthClient } from '../session/upstream/oauth-client.ts'
import type { State } from '../state/state.ts'
import { openSocialProvider, type SocialPlace } from './social-provider.ts'

export type OpenedSocial = {
  readonly ports: SocialPorts
  readonly pages: Readonly<Record<string, Page>>
}

export async function openSocial(place: SocialPlace): Promise<OpenedSocial> {
  const { config, baseUrl, state } = place
  const keys = await openSessionKeys(config, state)
  const oauth = openOAuth(config, baseUrl)
  return {
    ports: {
      provider: openSocialProvider(place),
      cursors: createCursors(await loadSecret(state, 'social_cursor')),
      sessions: createSessions({ state, keys, oauth }),
      findImage: (mediaId, now) => findImage(state, mediaId, now),
    },
    pages: buildLoginPages(oauth && { state, keys, oauth }, () => new Date()),
  }
}

/** The session keys: from the setting, else from a random key in the store. */
export async function openSessionKeys(config: Config, state: State): Promise<SessionKeys> {
  const provided = config.TOLLBOOK_SESSION_KEY
  return createSessionKeys(
    provided ? Buffer.from(provided, 'hex') : await loadSecret(state, 'social_session'),
  )
}

/** The OAuth client for sign-ins; null if no application is configured. */
export function openOAuth(config: Config, baseUrl: string): OAuthClient | null {
  const clientId = config.TOLLBOOK_X_OAUTH_CLIENT_ID
  if (clientId === undefined) return null
  const fetch = createUpstreamFetch(config, baseUrl)
  const authorizeUrl = config.TOLLBOOK_X_OAUTH_AUTHORIZE_URL
  const settings = {
    clientId,
    clientSecret: config.TOLLBOOK_X_OAUTH_CLIENT_SECRET ?? null,
    authorizeUrl,
    issuer: config.TOLLBOOK_X_OAUTH_ISSUER ?? new URL(authorizeUrl).origin,
    tokenUrl: config.TOLLBOOK_X_OAUTH_TOKEN_URL ?? `${config.TOLLBOOK_X_URL}/2/oauth2/token`,
    userUrl: `${config.TOLLBOOK_X_URL}/2/users/me`,
    redirectUrl: config.TOLLBOOK_X_OAUTH_REDIRECT_URL ?? `${baseUrl}/auth/x/callback`,
  }
  return createOAuthClient(settings, { fetch, clock: () => new Date() })
}
