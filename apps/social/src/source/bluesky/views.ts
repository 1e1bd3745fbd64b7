import * as z from 'zod'
import { kindOf } from './at-uri.ts'

/**
 * The parts of the AppView's answers that are read, by the lexicons app.bsky.*
 * (https://github.com/bluesky-social/atproto, lexicons/app/bsky). All other fields are ignored.
 */
const count = z.int().min(0).optional().catch(undefined)
const labels = z.array(z.looseObject({ val: z.string() })).optional()
const strongRef = z.looseObject({ uri: z.string() })

/** `app.bsky.actor.defs#profileView`, `Basic` and `Detailed`; fields beyond the common ones are optional. */
export const profileView = z.looseObject({
  did: z.string().refine((did) => kindOf(did) === 'user'),
  handle: z.string(),
  displayName: z.string().optional(),
  description: z.string().optional(),
  avatar: z.string().optional(),
  banner: z.string().optional(),
  website: z.string().optional(),
  createdAt: z.string().optional(),
  followersCount: count,
  followsCount: count,
  postsCount: count,
  pinnedPost: strongRef.optional(),
  verification: z
    .looseObject({ verifiedStatus: z.string(), trustedVerifierStatus: z.string() })
    .optional()
    .catch(undefined),
})
export type ProfileView = z.output<typeof profileView>

/** `app.bsky.richtext.facet`: offsets count bytes of UTF-8. */
const facet = z.looseObject({
  index: z.looseObject({ byteStart: z.int(), byteEnd: z.int() }),
  features: z.array(
    z.looseObject({
      $type: z.string().optional(),
      did: z.string().optional(),
      uri: z.string().optional(),
      tag: z.string().optional(),
    }),
  ),
})
export type Facet = z.output<typeof facet>

/** `app.bsky.feed.post`; invalid fields other than the text count as absent. */
const postRecord = z.looseObject({
  text: z.string(),
  createdAt: z.string().optional().catch(undefined),
  langs: z.array(z.string()).optional().catch(undefined),
  facets: z.array(z.unknown()).optional().catch(undefined),
  reply: z.looseObject({ root: strongRef, parent: strongRef }).optional().catch(undefined),
})

export const embedView = z.looseObject({ $type: z.string().optional() })

/** `app.bsky.feed.defs#postView`. */
export const postView = z.looseObject({
  uri: z.string().refine((uri) => kindOf(uri) === 'tweet'),
  author: profileView,
  record: postRecord,
  embed: embedView.optional(),
  replyCount: count,
  repostCount: count,
  likeCount: count,
  quoteCount: count,
  bookmarkCount: count,
  indexedAt: z.string(),
  labels,
})
export type PostView = z.output<typeof postView>

/** `app.bsky.graph.defs#listView`. */
export const listView = z.looseObject({
  uri: z.string().refine((uri) => kindOf(uri) === 'list'),
  name: z.string(),
  purpose: z.string().optional(),
  description: z.string().optional(),
  avatar: z.string().optional(),
  listItemCount: count,
  creator: profileView,
})
export type ListView = z.output<typeof listView>

const cursor = z.string().min(1).optional()
/** `app.bsky.feed.defs#feedViewPost`; a deleted or blocked parent has no record. */
const feedItem = z.looseObject({
  post: postView,
  reason: z.looseObject({ $type: z.string() }).optional(),
  reply: z
    .looseObject({ parent: postView.optional().catch(undefined) })
    .optional()
    .catch(undefined),
})

export const postsAnswer = z.looseObject({ posts: z.array(postView), cursor })
export const feedAnswer = z.looseObject({ feed: z.array(feedItem), cursor })
export const profilesAnswer = z.looseObject({ profiles: z.array(profileView) })
export const actorsAnswer = z.looseObject({ actors: z.array(profileView), cursor })
export const followersAnswer = z.looseObject({ followers: z.array(profileView), cursor })
export const followsAnswer = z.looseObject({ follows: z.array(profileView), cursor })
export const repostersAnswer = z.looseObject({ repostedBy: z.array(profileView), cursor })
export const listAnswer = z.looseObject({
  list: listView,
  items: z.array(z.looseObject({ subject: profileView })),
  cursor,
})
/** A thread whose post is deleted or blocked has no `post`; the same applies to replies. */
export const threadAnswer = z.looseObject({
  thread: z.looseObject({
    post: postView.optional(),
    replies: z.array(z.looseObject({ post: postView.optional() })).optional(),
  }),
})

/** A facet as its author wrote it; null if it is invalid. */
export function parseFacet(provided: unknown): Facet | null {
  return facet.safeParse(provided).data ?? null
}
