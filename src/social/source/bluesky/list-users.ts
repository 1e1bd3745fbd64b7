import type { SocialUser } from '../../model.ts'
import type { Asking, FoundPage, Paged, SocialOperations } from '../provider.ts'
import type { AtKind } from './at-uri.ts'
import { type Bluesky, toPageParameters } from './bluesky.ts'
import {
  actorsAnswer,
  followersAnswer,
  followsAnswer,
  listAnswer,
  type ProfileView,
  repostersAnswer,
} from './views.ts'

type ProfilePage = { readonly profiles: readonly ProfileView[]; readonly cursor?: string | undefined }
type Ask = (
  uri: string,
  page: ReturnType<typeof toPageParameters>,
  asking: Asking,
) => Promise<ProfilePage | null>

/** The lists of users, each in the AppView's order: newest relation first. */
export function listUsers({
  client,
  known,
  present,
}: Bluesky): Pick<
  SocialOperations,
  'repostersOf' | 'searchUsers' | 'followersOf' | 'followedBy' | 'membersOfList'
> {
  return {
    repostersOf: usersOf('tweet', async (uri, page, asking) => {
      const requested = { method: 'app.bsky.feed.getRepostedBy', parameters: { uri, ...page } }
      const found = await client.ask({ ...requested, answer: repostersAnswer }, asking.signal)
      if (!found) return null
      // The list of a deleted post is empty as well.
      const isEmpty = found.repostedBy.length === 0 && page.cursor === undefined
      if (isEmpty && (await present.findPosts([uri], asking)).length === 0) return null
      return { profiles: found.repostedBy, cursor: found.cursor }
    }),
    async searchUsers(q, page, asking) {
      const requested = {
        method: 'app.bsky.actor.searchActors',
        parameters: { q, ...toPageParameters(page) },
      }
      const found = await client.ask({ ...requested, answer: actorsAnswer }, asking.signal)
      return toPage({ profiles: found?.actors ?? [], cursor: found?.cursor }, asking)
    },
    followersOf: usersOf('user', async (actor, page, { signal }) => {
      const requested = { method: 'app.bsky.graph.getFollowers', parameters: { actor, ...page } }
      const found = await client.ask({ ...requested, answer: followersAnswer }, signal)
      return found && { profiles: found.followers, cursor: found.cursor }
    }),
    followedBy: usersOf('user', async (actor, page, { signal }) => {
      const requested = { method: 'app.bsky.graph.getFollows', parameters: { actor, ...page } }
      const found = await client.ask({ ...requested, answer: followsAnswer }, signal)
      return found && { profiles: found.follows, cursor: found.cursor }
    }),
    membersOfList: usersOf('list', async (list, page, { signal }) => {
      const requested = { method: 'app.bsky.graph.getList', parameters: { list, ...page } }
      const found = await client.ask({ ...requested, answer: listAnswer }, signal)
      return found && { profiles: found.items.map(({ subject }) => subject), cursor: found.cursor }
    }),
  }

  function usersOf(kind: AtKind, ask: Ask): Paged<SocialUser> {
    return async (id, page, asking) => {
      const uri = await known.findOne(kind, id)
      const found = uri === null ? null : await ask(uri, toPageParameters(page), asking)
      return found && toPage(found, asking)
    }
  }

  async function toPage({ profiles, cursor }: ProfilePage, asking: Asking): Promise<FoundPage<SocialUser>> {
    return { data: await present.users(profiles, asking), includes: {}, next: cursor ?? null }
  }
}
