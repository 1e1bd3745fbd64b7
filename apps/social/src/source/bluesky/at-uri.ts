/** The kinds of Bluesky objects that have an id here. */
export type AtKind = 'tweet' | 'user' | 'list'

const COLLECTIONS: Readonly<Record<string, AtKind>> = {
  'app.bsky.feed.post': 'tweet',
  'app.bsky.graph.list': 'list',
}

/**
 * The characters of DIDs and record keys (https://atproto.com/specs/did and /record-key); longer DIDs do not
 * fit an index.
 */
const DID = 'did:[a-z]+:[A-Za-z0-9._:%-]{1,500}'
const KEY = '[A-Za-z0-9._:~-]{1,512}'
const RECORD = new RegExp(`^at://(${DID})/([A-Za-z0-9.-]{1,317})/(${KEY})$`)
const ACCOUNT = new RegExp(`^${DID}$`)

/** `at://<did>/<collection>/<key>` (https://atproto.com/specs/at-uri-scheme). */
export type AtUri = { readonly did: string; readonly collection: string; readonly key: string }

/** The parts of the URI of a record; null for anything else, such as a URI with a handle as authority. */
export function parseAtUri(uri: string): AtUri | null {
  const [, did, collection, key] = RECORD.exec(uri) ?? []
  return did && collection && key ? { did, collection, key } : null
}

/** The kind of object that a DID or the URI of a record identifies; null if it has no id here. */
export function kindOf(uri: string): AtKind | null {
  if (ACCOUNT.test(uri)) return 'user'
  return COLLECTIONS[parseAtUri(uri)?.collection ?? ''] ?? null
}
