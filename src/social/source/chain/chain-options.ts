import type { State } from '../../../state/state.ts'
import type { SocialProvider } from '../provider.ts'

export type ChainOptions = {
  readonly state: State
  /** Answers from that state. */
  readonly store: SocialProvider
  readonly upstream: SocialProvider
  readonly now: () => Date
  /** How long an object from the upstream is answered from the store, ms. */
  readonly objectMs: number
  /** How long a page from the upstream is answered from the store, ms; 0 for never. */
  readonly pageMs: number
}
