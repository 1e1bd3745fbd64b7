import type { Config } from '../../config.ts'
import { findImage } from '../../social/image/image-store.ts'
import { loadSecret } from '../../social/load-secret.ts'
import { createCursors } from '../../social/paging/cursors.ts'
import type { SocialPorts } from '../../social/ports.ts'
import { createSessionKeys, type SessionKeys } from '../../social/session/session-keys.ts'
import { createSessions } from '../../social/session/sessions.ts'
import type { State } from '../../state/state.ts'
import { openSocialProvider, type SocialPlace } from './social-provider.ts'

/** What the social service reaches the world through. */
export async function openSocial(place: SocialPlace): Promise<SocialPorts> {
  const { config, state } = place
  const keys = await openSessionKeys(config, state)
  return {
    provider: openSocialProvider(place),
    cursors: createCursors(await loadSecret(state, 'social_cursor')),
    sessions: createSessions({ state, keys }),
    findImage: (mediaId, now) => findImage(state, mediaId, now),
  }
}

/** The keys of sessions: by the setting, else from a random key that the store keeps. */
export async function openSessionKeys(config: Config, state: State): Promise<SessionKeys> {
  const given = config.TOLLBOOK_SESSION_KEY
  return createSessionKeys(given ? Buffer.from(given, 'hex') : await loadSecret(state, 'social_session'))
}
