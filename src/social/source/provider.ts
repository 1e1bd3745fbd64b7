import type { SocialUser } from './user.ts'

/** What can be asked of a source; each is a method of the same name. */
export type SocialOperation = 'userByUsername'

/** Where social data comes from: our own store, or a network reached through its API. */
export interface SocialProvider {
  readonly name: string
  /** The operations that this provider can ever answer; an endpoint without one is a 501, before any payment. */
  readonly capabilities: ReadonlySet<SocialOperation>
  /** The user with that name in any case, without `@`; null when there is none. */
  userByUsername(username: string, signal: AbortSignal): Promise<SocialUser | null>
}
