import type { Cursors } from './paging/cursors.ts'
import type { SocialProvider } from './source/provider.ts'

/** What the handlers of the social service reach the world through. */
export type SocialPorts = {
  readonly provider: SocialProvider
  readonly cursors: Cursors
}
