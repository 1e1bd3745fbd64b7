import * as z from 'zod'
import { socialId } from '../../model/social-id.ts'
import { toEntities } from './archive-entities.ts'
import { toMedia } from './archive-media.ts'

/** Counts and offsets are texts there. */
const count = z.union([z.string().regex(/^\d{1,15}$/), z.int().min(0)]).transform(Number)
const indices = z.tuple([count, count])

const mediaEntity = z.looseObject({
  id_str: socialId,
  type: z.string(),
  url: z.string(),
  expanded_url: z.string().optional(),
  display_url: z.string().optional(),
  indices,
  media_url_https: z.string().optional(),
  ext_alt_text: z.string().optional(),
  sizes: z.looseObject({ large: z.object({ w: count, h: count }).optional() }).optional(),
  video_info: z
    .looseObject({
      duration_millis: count.optional(),
      variants: z
        .array(z.object({ bitrate: count.optional(), content_type: z.string(), url: z.string() }))
        .optional(),
    })
    .optional(),
})
export type ArchiveMedia = z.output<typeof mediaEntity>

const entities = z.looseObject({
  hashtags: z.array(z.object({ text: z.string(), indices })).optional(),
  symbols: z.array(z.object({ text: z.string(), indices })).optional(),
  user_mentions: z
    .array(z.object({ screen_name: z.string(), id_str: z.string().optional(), indices }))
    .optional(),
  urls: z
    .array(
      z.object({
        url: z.string(),
        expanded_url: z.string().optional(),
        display_url: z.string().optional(),
        indices,
      }),
    )
    .optional(),
  media: z.array(mediaEntity).optional(),
})
export type ArchiveEntities = z.output<typeof entities>

/** A tweet of a data archive, in the form of the API 1.1. */
const archiveTweet = z.looseObject({
  id_str: socialId,
  full_text: z.string(),
  created_at: z.string().refine((text) => !Number.isNaN(Date.parse(text)), 'no time'),
  lang: z.string().optional(),
  source: z.string().optional(),
  favorite_count: count.optional(),
  retweet_count: count.optional(),
  entities: entities.optional(),
  extended_entities: z.looseObject({ media: z.array(mediaEntity).optional() }).optional(),
  in_reply_to_status_id_str: socialId.optional(),
  in_reply_to_user_id_str: socialId.optional(),
  community_id_str: socialId.optional(),
  display_text_range: indices.optional(),
  possibly_sensitive: z.boolean().optional(),
  edit_info: z
    .looseObject({ initial: z.looseObject({ editTweetIds: z.array(socialId).optional() }).optional() })
    .optional(),
})
export type ArchiveTweet = z.output<typeof archiveTweet>

/** Reads a tweet of an archive. */
export function parseArchiveTweet(given: unknown) {
  return archiveTweet.safeParse(given)
}

/** A repost is its text only: neither whose it is nor which tweet it repeats is told by an id. */
const REPOST = /^RT @\w{1,20}: /

/**
 * The tweet and its media in the names of the API v2. Its author is the archive's owner. Counts of answers, quotes,
 * bookmarks and views are not in an archive, and so not here; those beside a repost are not its own, and left out.
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
      // The root of a conversation gives it its id; of an answer the root is not told.
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

/** The program's name is the text of a link. */
function nameOfSource(source: string): string {
  return /^<a [^>]*>([^<]*)<\/a>$/.exec(source)?.[1] ?? source
}
