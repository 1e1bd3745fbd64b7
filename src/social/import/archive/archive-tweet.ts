import { toEntities } from './archive-entities.ts'
import { toMedia } from './archive-media.ts'
import type { ArchiveTweet } from './archive-shapes.ts'

/**
 * An archive stores only the text of a repost: neither the id of the original tweet nor that of its author.
 */
const REPOST = /^RT @\w{1,20}: /

/**
 * The tweet and its media with the names of the API v2. Its author is the archive's owner. An archive has no
 * counts of replies, quotes, bookmarks and views, so they are absent; the counts of a repost belong to the
 * original and are omitted.
 */
export function fromArchiveTweet(given: ArchiveTweet, authorId: string) {
  const { id_str: id, in_reply_to_status_id_str: repliedTo, in_reply_to_user_id_str: repliedToUser } = given
  const attached = given.extended_entities?.media ?? given.entities?.media ?? []
  const media = attached.map(toMedia)
  const history = given.edit_info?.initial?.editTweetIds
  return {
    media,
    tweet: {
      id,
      text: given.full_text,
      author_id: authorId,
      created_at: new Date(given.created_at).toISOString(),
      // A conversation has the id of its root; the archive does not name the root of a reply.
      ...(repliedTo === undefined && { conversation_id: id }),
      ...(repliedToUser !== undefined && { in_reply_to_user_id: repliedToUser }),
      ...(repliedTo !== undefined && { referenced_tweets: [{ type: 'replied_to', id: repliedTo }] }),
      ...(!REPOST.test(given.full_text) && toMetrics(given)),
      ...(given.lang !== undefined && { lang: given.lang }),
      ...(given.source !== undefined && { source: nameOfSource(given.source) }),
      ...(given.entities && { entities: toEntities(given.entities) }),
      ...(media.length > 0 && { attachments: { media_keys: media.map(({ media_key }) => media_key) } }),
      ...(given.community_id_str !== undefined && { community_id: given.community_id_str }),
      ...(given.display_text_range && { display_text_range: given.display_text_range }),
      ...(given.possibly_sensitive !== undefined && { possibly_sensitive: given.possibly_sensitive }),
      ...(history && { edit_history_tweet_ids: history }),
      url: `https://x.com/i/status/${id}`,
    },
  }
}

function toMetrics({ favorite_count, retweet_count }: ArchiveTweet) {
  if (favorite_count === undefined && retweet_count === undefined) return {}
  return {
    public_metrics: {
      ...(retweet_count !== undefined && { retweet_count }),
      ...(favorite_count !== undefined && { like_count: favorite_count }),
    },
  }
}

/** The app's name is the text of a link. */
function nameOfSource(source: string): string {
  return /^<a [^>]*>([^<]*)<\/a>$/.exec(source)?.[1] ?? source
}
