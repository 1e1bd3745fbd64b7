import type { State } from '../../../state/state.ts'
import type { SocialProvider } from '../provider.ts'

export type ReadThroughOptions = {
  readonly state: State
  /** Reads from that state. */
  readonly store: SocialProvider
  readonly upstream: SocialProvider
  readonly now: () => Date
  /** How long an object is served from the store, ms. */
  readonly objectMs: number
  /** How long a page of the upstream is cached, ms; 0 disables the cache. */
  readonly pageMs: number
}
