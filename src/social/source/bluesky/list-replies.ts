import type { SocialOperations } from '../provider.ts'
import type { Bluesky } from './bluesky.ts'
import { toIsoTime } from './to-iso-time.ts'
import { type PostView, threadAnswer } from './views.ts'

/**
 * The direct replies to a post, newest first. The AppView returns them all at once, in its own order, so they
 * are sorted and paginated here: a position is that of the last reply of the page.
 */
export function listReplies({ client, known, present }: Bluesky): SocialOperations['repliesTo'] {
  return async (id, { limit, position }, asking) => {
    const uri = await known.findOne('tweet', id)
    if (uri === null) return null
    const parameters = { uri, depth: 1, parentHeight: 0 }
    const asked = { method: 'app.bsky.feed.getPostThread', parameters, answer: threadAnswer }
    const thread = (await client.ask(asked, asking.signal))?.thread
    if (!thread?.post) return null
    const replies = (thread.replies ?? [])
      .flatMap(({ post }) => post ?? [])
      .map((post) => ({ post, place: placeOf(post) }))
      .sort((one, other) => (one.place < other.place ? 1 : -1))
      .filter(({ place }) => position === null || place < position)
    const page = replies.slice(0, limit)
    const next = replies.length > limit ? (page.at(-1)?.place ?? null) : null
    const posts = page.map(({ post }) => post)
    return { ...(await present.tweets(posts, asking, [thread.post])), next }
  }
}

function placeOf({ record, indexedAt, uri }: PostView): string {
  return `${toIsoTime(record.createdAt) ?? indexedAt} ${uri}`
}
