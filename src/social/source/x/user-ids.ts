import type { Asking } from '../provider.ts'

/** A name may pass to somebody else, so what is known of it is soon forgotten, ms. */
const KEPT_MS = 900_000
const MAX_KEPT = 10_000

type Options = {
  readonly find: (username: string, asking: Asking) => Promise<{ readonly id: string } | null>
  /** Epoch milliseconds. */
  readonly nowMs: () => number
}

/** Ids behind usernames, each looked up once in a while, since that costs as much as a user. */
export function createUserIds({ find, nowMs }: Options) {
  const kept = new Map<string, { readonly id: string; readonly untilMs: number }>()
  /** The id of the user of that name in any case; null when there is none. */
  return async (username: string, asking: Asking): Promise<string | null> => {
    const key = username.toLowerCase()
    const known = kept.get(key)
    if (known && known.untilMs > nowMs()) return known.id
    kept.delete(key)
    const id = (await find(username, asking))?.id ?? null
    if (id === null) return null
    if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value ?? '')
    kept.set(key, { id, untilMs: nowMs() + KEPT_MS })
    return id
  }
}
