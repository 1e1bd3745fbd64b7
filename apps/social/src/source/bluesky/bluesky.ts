import type { RequestedPage } from '../provider.ts'
import type { BlueskyClient } from './bluesky-client.ts'
import type { KnownIds } from './known-ids.ts'
import type { Presenter } from './present.ts'

/** Dependencies of every operation. */
export type Bluesky = {
  readonly client: BlueskyClient
  readonly known: KnownIds
  readonly present: Presenter
}

/** A page in the parameters of the AppView, whose cursor is the position. */
export function toPageParameters({ limit, position }: RequestedPage): { limit: number; cursor?: string } {
  return position === null ? { limit } : { limit, cursor: position }
}

/**
 * Whether a username can be a handle, which is a domain name of two labels or more
 * (https://atproto.com/specs/handle).
 */
export function isHandle(username: string): boolean {
  return /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(username)
}
