import type * as z from 'zod'
import type { Asking, SocialOperations } from '../provider.ts'
import { type Bluesky, isHandle, toPageParameters } from './bluesky.ts'
import { feedAnswer, postsAnswer } from './views.ts'

/** The lists of posts that the AppView paginates itself, newest first. */
export function listTweets({
  client,
  known,
  present,
}: Bluesky): Pick<SocialOperations, 'tweetsOfUser' | 'quotesOf' | 'tweetsOfList'> {
  return {
    async tweetsOfUser(username, page, asking) {
      if (!isHandle(username)) return null
      const parameters = { actor: username, filter: 'posts_with_replies', ...toPageParameters(page) }
      const asked = { method: 'app.bsky.feed.getAuthorFeed', parameters, answer: feedAnswer }
      const found = await client.ask(asked, asking.signal)
      return found && toPage(found, asking)
    },
    async quotesOf(id, page, asking) {
      const uri = await known.findOne('tweet', id)
      if (uri === null) return null
      const asked = { method: 'app.bsky.feed.getQuotes', parameters: { uri, ...toPageParameters(page) } }
      const found = await client.ask({ ...asked, answer: postsAnswer }, asking.signal)
      if (!found) return null
      // The list of a deleted post is empty as well.
      const isEmpty = found.posts.length === 0 && page.position === null
      if (isEmpty && (await present.findPosts([uri], asking)).length === 0) return null
      return { ...(await present.tweets(found.posts, asking)), next: found.cursor ?? null }
    },
    async tweetsOfList(id, page, asking) {
      const list = await known.findOne('list', id)
      if (list === null) return null
      const asked = { method: 'app.bsky.feed.getListFeed', parameters: { list, ...toPageParameters(page) } }
      const found = await client.ask({ ...asked, answer: feedAnswer }, asking.signal)
      return found && toPage(found, asking)
    },
  }

  /** Unlike on X, a repost is not a post of its own here, so posts by other authors are omitted. */
  async function toPage({ feed, cursor }: z.output<typeof feedAnswer>, asking: Asking) {
    const own = feed.filter(({ reason }) => reason?.$type !== 'app.bsky.feed.defs#reasonRepost')
    const parents = own.flatMap(({ reply }) => reply?.parent ?? [])
    const posts = own.map(({ post }) => post)
    return { ...(await present.tweets(posts, asking, parents)), next: cursor ?? null }
  }
}
