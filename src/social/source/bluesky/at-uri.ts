/** What of Bluesky has an id here. */
export type AtKind = 'tweet' | 'user' | 'list'

const COLLECTIONS: Readonly<Record<string, AtKind>> = {
  'app.bsky.feed.post': 'tweet',
  'app.bsky.graph.list': 'list',
}

/** `at://<did>/<collection>/<key>` (https://atproto.com/specs/at-uri-scheme). */
export type AtUri = { readonly did: string; readonly collection: string; readonly key: string }

/** The parts of the address of a record; null for anything else, such as one that names its owner by handle. */
export function parseAtUri(uri: string): AtUri | null {
  const [, did, collection, key] = /^at:\/\/(did:[^/]+)\/([^/]+)\/([^/?#]+)$/.exec(uri) ?? []
  return did && collection && key ? { did, collection, key } : null
}

/** What a DID or the address of a record stands for; null for what has no id here. */
export function kindOf(uri: string): AtKind | null {
  if (uri.startsWith('did:')) return 'user'
  return COLLECTIONS[parseAtUri(uri)?.collection ?? ''] ?? null
}
