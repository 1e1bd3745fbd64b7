import type { Media, Tweet } from '../../model.ts'
import { kindOf, parseAtUri } from './at-uri.ts'
import type { IdOf } from './known-ids.ts'
import { readEmbed } from './read-embed.ts'
import { toEntities } from './to-entities.ts'
import { nameInAddress, toIsoTime } from './to-user.ts'
import type { PostView } from './views.ts'

/** Labels for which the site hides pictures (https://docs.bsky.app/docs/advanced-guides/moderation). */
const SENSITIVE = new Set(['porn', 'sexual', 'nudity', 'graphic-media', 'gore', 'nsfl'])

/** The posts that a post replies to and quotes, if they are public. */
export function referencedBy({ record, embed }: PostView): string[] {
  const { quoted } = readEmbed(embed)
  return [record.reply?.parent.uri, quoted?.isShown ? quoted.uri : undefined].filter((uri) => isPost(uri))
}

/** The media that a post shows. */
export function mediaOf({ embed }: PostView): readonly Media[] {
  return readEmbed(embed).media
}

/** Converts a post to a tweet. Data that the network lacks, such as view counts, is absent. */
export function toTweet(post: PostView, idOf: IdOf): Tweet {
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
