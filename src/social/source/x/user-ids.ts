import type { Asking } from '../provider.ts'

/** TTL of cached ids, ms; short, since a name may change its owner. */
const TTL_MS = 900_000
const MAX_CACHED = 10_000

type Options = {
  readonly find: (username: string, asking: Asking) => Promise<{ readonly id: string } | null>
  /** Epoch milliseconds. */
  readonly nowMs: () => number
}

/** Ids of usernames, cached, since a lookup costs as much as a user. */
export function createUserIds({ find, nowMs }: Options) {
  const cache = new Map<string, { readonly id: string; readonly untilMs: number }>()
  /** The id of the user of that name (case-insensitive); null if there is none. */
  return async (username: string, asking: Asking): Promise<string | null> => {
    const key = username.toLowerCase()
    const known = cache.get(key)
    if (known && known.untilMs > nowMs()) return known.id
    cache.delete(key)
    const id = (await find(username, asking))?.id ?? null
    if (id === null) return null
    if (cache.size >= MAX_CACHED) cache.delete(cache.keys().next().value ?? '')
    cache.set(key, { id, untilMs: nowMs() + TTL_MS })
    return id
  }
}
