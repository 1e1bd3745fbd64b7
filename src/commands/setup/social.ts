import { loadSecret } from '../../social/load-secret.ts'
import { createCursors } from '../../social/paging/cursors.ts'
import type { SocialPorts } from '../../social/ports.ts'
import { createStoreProvider } from '../../social/source/store/store-provider.ts'
import type { State } from '../../state/state.ts'

/** What the social service reaches the world through. */
export async function openSocial(state: State): Promise<SocialPorts> {
  return {
    provider: createStoreProvider(state),
    cursors: createCursors(await loadSecret(state, 'social_cursor')),
  }
}
