import { loadSecret } from '../../social/load-secret.ts'
import { createCursors } from '../../social/paging/cursors.ts'
import type { SocialPorts } from '../../social/ports.ts'
import type { SearchPlace } from '../../social/source/store/search-tweets.ts'
import { createStoreProvider } from '../../social/source/store/store-provider.ts'

/** What the social service reaches the world through. */
export async function openSocial(place: SearchPlace): Promise<SocialPorts> {
  return {
    provider: createStoreProvider(place),
    cursors: createCursors(await loadSecret(place.state, 'social_cursor')),
  }
}
