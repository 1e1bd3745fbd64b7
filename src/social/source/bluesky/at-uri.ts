/** What of Bluesky has an id here. */
export type AtKind = 'tweet' | 'user' | 'list'

const COLLECTIONS: Readonly<Record<string, AtKind>> = {
  'app.bsky.feed.post': 'tweet',
  'app.bsky.graph.list': 'list',
}

/** The signs of DIDs and record keys (https://atproto.com/specs/did and /record-key); longer DIDs fit no index. */
const DID = 'did:[a-z]+:[A-Za-z0-9._:%-]{1,500}'
const KEY = '[A-Za-z0-9._:~-]{1,512}'
const RECORD = new RegExp(`^at://(${DID})/([A-Za-z0-9.-]{1,317})/(${KEY})$`)
const ACCOUNT = new RegExp(`^${DID}$`)

/** `at://<did>/<collection>/<key>` (https://atproto.com/specs/at-uri-scheme). */
export type AtUri = { readonly did: string; readonly collection: string; readonly key: string }

/** The parts of the address of a record; null for anything else, such as one that names its owner by handle. */
export function parseAtUri(uri: string): AtUri | null {
  const [, did, collection, key] = RECORD.exec(uri) ?? []
  return did && collection && key ? { did, collection, key } : null
}

/** What a DID or the address of a record stands for; null for what has no id here. */
export function kindOf(uri: string): AtKind | null {
  if (ACCOUNT.test(uri)) return 'user'
  return COLLECTIONS[parseAtUri(uri)?.collection ?? ''] ?? null
}
