import type { StoredImage } from './image/image-store.ts'
import type { Cursors } from './paging/cursors.ts'
import type { Sessions } from './session/sessions.ts'
import type { SocialProvider } from './source/provider.ts'

/** Everything the handlers of the social service depend on. */
export type SocialPorts = {
  readonly provider: SocialProvider
  readonly cursors: Cursors
  readonly sessions: Sessions
  /** A stored image by its media id; null if it has expired. */
  readonly findImage: (mediaId: string, now: Date) => Promise<StoredImage | null>
}
