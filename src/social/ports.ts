import type { KeptImage } from './image/image-store.ts'
import type { Cursors } from './paging/cursors.ts'
import type { Sessions } from './session/sessions.ts'
import type { SocialProvider } from './source/provider.ts'

/** What the handlers of the social service reach the world through. */
export type SocialPorts = {
  readonly provider: SocialProvider
  readonly cursors: Cursors
  readonly sessions: Sessions
  /** An image that is still kept, by its media id. */
  readonly findImage: (mediaId: string, now: Date) => Promise<KeptImage | null>
}
