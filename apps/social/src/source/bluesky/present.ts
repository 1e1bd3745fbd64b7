import type { Includes, Media, SocialList, SocialUser, Tweet } from '../../model.ts'
import type { Asking, Found } from '../provider.ts'
import { kindOf, parseAtUri } from './at-uri.ts'
import type { BlueskyClient } from './bluesky-client.ts'
import type { IdOf, KnownIds } from './known-ids.ts'
import { readEmbed } from './read-embed.ts'
import { toEntities } from './to-entities.ts'
import { nameInAddress, toIsoTime, toUser } from './to-user.ts'
import { type ListView, type PostView, type ProfileView, postsAnswer, profilesAnswer } from './views.ts'

/** Labels for which the site hides pictures (https://docs.bsky.app/docs/advanced-guides/moderation). */
const SENSITIVE = new Set(['porn', 'sexual', 'nudity', 'graphic-media', 'gore', 'nsfl'])

/** Maximum per call of getPosts and getProfiles (their lexicons). */
const MAX_AT_ONCE = 25
/** Together with the base URL, they fit into the maximum length of a fetched URL, 2,048 characters. */
const MAX_CHARACTERS = 1_920
/** Per name: `uris=` and `&`. */
const AROUND = 6

export type Presented = { readonly data: readonly Tweet[]; readonly includes: Includes }

export type Presenter = ReturnType<typeof createPresenter>

/** Converts views to answers, and fetches what they refer to, so that every object is as complete as possible. */
export function createPresenter({
  client,
  known,
}: {
  readonly client: BlueskyClient
  readonly known: KnownIds
}) {
  return { findPosts, tweets, users, list }

  /** The existing posts among these URIs, in any order. */
  async function findPosts(uris: readonly string[], { signal }: Asking): Promise<PostView[]> {
    const requested = portions(uris).map((portion) =>
      client.ask(
        { method: 'app.bsky.feed.getPosts', parameters: { uris: portion }, answer: postsAnswer },
        signal,
      ),
    )
    const found = (await Promise.all(requested)).flatMap((answer) => answer?.posts ?? [])
    return found.filter(({ uri }) => uris.includes(uri))
  }

  /**
   * Posts with their authors, the posts they reply to and quote, and their media. @param nearby posts already
   * fetched.
   */
  async function tweets(
    posts: readonly PostView[],
    asking: Asking,
    nearby: readonly PostView[] = [],
  ): Promise<Presented> {
    const inHand = new Map([...nearby, ...posts].map((post) => [post.uri, post]))
    const own = new Set(posts.map(({ uri }) => uri))
    const referenced = unique(posts.flatMap(referencedBy)).filter((uri) => !own.has(uri))
    const requested = referenced.filter((uri) => !inHand.has(uri))
    for (const post of await findPosts(requested, asking)) inHand.set(post.uri, post)
    const others = referenced.flatMap((uri) => inHand.get(uri) ?? [])
    const all = [...posts, ...others]
    const authors = await fullProfiles(
      all.map(({ author }) => author),
      asking,
    )
    const media = new Map(all.flatMap(mediaOf).map((one) => [one.media_key, one]))
    return known.give((idOf) => ({
      data: posts.map((post) => toTweet(post, idOf)),
      includes: {
        users: authors.map((author) => toUser(author, idOf)),
        tweets: others.map((post) => toTweet(post, idOf)),
        media: [...media.values()],
      },
    }))
  }

  async function users(profiles: readonly ProfileView[], asking: Asking): Promise<SocialUser[]> {
    const full = await fullProfiles(profiles, asking)
    return known.give((idOf) => full.map((profile) => toUser(profile, idOf)))
  }

  async function list(view: ListView, asking: Asking): Promise<Found<SocialList>> {
    const owners = await fullProfiles([view.creator], asking)
    return known.give((idOf) => ({
      data: toList(view, idOf),
      includes: { users: owners.map((owner) => toUser(owner, idOf)) },
    }))
  }

  /** Lists contain short profiles without counts; each full profile is fetched once, and deleted ones stay short. */
  async function fullProfiles(profiles: readonly ProfileView[], { signal }: Asking): Promise<ProfileView[]> {
    const short = new Map(profiles.map((profile) => [profile.did, profile]))
    const requested = portions([...short.keys()]).map((portion) =>
      client.ask(
        { method: 'app.bsky.actor.getProfiles', parameters: { actors: portion }, answer: profilesAnswer },
        signal,
      ),
    )
    const found = (await Promise.all(requested)).flatMap((answer) => answer?.profiles ?? [])
    const full = new Map(found.map((profile) => [profile.did, profile]))
    return [...short.values()].map((profile) => full.get(profile.did) ?? profile)
  }
}

function portions(names: readonly string[]): string[][] {
  const all: string[][] = []
  let characters = 0
  for (const name of unique(names)) {
    const own = name.length + AROUND
    const last = all.at(-1)
    if (last && last.length < MAX_AT_ONCE && characters + own <= MAX_CHARACTERS) {
      last.push(name)
      characters += own
    } else {
      all.push([name])
      characters = own
    }
  }
  return all
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)]
}

/**
 * Converts a list to a List. The network has no private lists and no followers of lists, and a picture
 * instead of a banner.
 */
function toList(view: ListView, idOf: IdOf): SocialList {
  const { uri, name, purpose, description, avatar, listItemCount, creator } = view
  return {
    id: idOf(uri),
    name,
    ...(description !== undefined && { description }),
    private: false,
    ...(listItemCount !== undefined && { member_count: listItemCount }),
    owner_id: idOf(creator.did),
    ...(avatar !== undefined && { image_url: avatar }),
    ...(purpose !== undefined && { purpose: purpose.replace(/^.*#/, '') }),
    url: `https://bsky.app/profile/${creator.did}/lists/${parseAtUri(uri)?.key ?? ''}`,
    at_uri: uri,
  }
}

/** The posts that a post replies to and quotes, if they are public. */
function referencedBy({ record, embed }: PostView): string[] {
  const { quoted } = readEmbed(embed)
  return [record.reply?.parent.uri, quoted?.isShown ? quoted.uri : undefined].filter((uri) => isPost(uri))
}

function mediaOf({ embed }: PostView): readonly Media[] {
  return readEmbed(embed).media
}

/** Converts a post to a tweet. Data that the network lacks, such as view counts, is absent. */
function toTweet(post: PostView, idOf: IdOf): Tweet {
  const { uri, author, record } = post
  const id = idOf(uri)
  const { media, card, quoted, list } = readEmbed(post.embed)
  const root = record.reply?.root.uri
  const parent = record.reply?.parent.uri
  const [lang] = record.langs ?? []
  const entities = toEntities(record.text, record.facets ?? [], idOf)
  const createdAt = earliest(record.createdAt, post.indexedAt)
  const references = [
    ...(isPost(parent) ? [{ type: 'replied_to' as const, id: idOf(parent) }] : []),
    ...(quoted ? [{ type: 'quoted' as const, id: idOf(quoted.uri) }] : []),
  ]
  const metrics = metricsOf(post)
  return {
    id,
    text: record.text,
    author_id: idOf(author.did),
    ...(createdAt !== null && { created_at: createdAt }),
    ...(lang !== undefined && { lang }),
    conversation_id: isPost(root) ? idOf(root) : id,
    ...(isPost(parent) && { in_reply_to_user_id: idOf(ownerOf(parent)) }),
    ...(references.length > 0 && { referenced_tweets: references }),
    ...(Object.keys(metrics).length > 0 && { public_metrics: metrics }),
    ...(entities && { entities }),
    ...(media.length > 0 && { attachments: { media_keys: media.map(({ media_key }) => media_key) } }),
    ...(post.labels && { possibly_sensitive: post.labels.some(({ val }) => SENSITIVE.has(val)) }),
    ...(card && { card }),
    ...(list && { embedded_list: { id: idOf(list.uri), name: list.name } }),
    url: `https://bsky.app/profile/${nameInAddress(author)}/post/${parseAtUri(uri)?.key ?? ''}`,
    at_uri: uri,
  }
}

/** Authors can set any date on a post; the network sorts by the earlier of that and the time of indexing. */
function earliest(createdAt: string | undefined, indexedAt: string): string | null {
  const times = [toIsoTime(createdAt), toIsoTime(indexedAt)].filter((time) => time !== null)
  return times.sort()[0] ?? null
}

function metricsOf(post: PostView): NonNullable<Tweet['public_metrics']> {
  const { repostCount, replyCount, likeCount, quoteCount, bookmarkCount } = post
  return {
    ...(repostCount !== undefined && { retweet_count: repostCount }),
    ...(replyCount !== undefined && { reply_count: replyCount }),
    ...(likeCount !== undefined && { like_count: likeCount }),
    ...(quoteCount !== undefined && { quote_count: quoteCount }),
    ...(bookmarkCount !== undefined && { bookmark_count: bookmarkCount }),
  }
}

function isPost(uri: string | undefined): uri is string {
  return uri !== undefined && kindOf(uri) === 'tweet'
}

function ownerOf(uri: string): string {
  return parseAtUri(uri)?.did ?? uri
}
