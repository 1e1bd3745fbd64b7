import * as z from 'zod'
import { socialId } from './social-id.ts'

const count = z.int().min(0)
/** Offsets count Unicode code points from 0; the end is exclusive. */
const offset = z.int().min(0)

export const referenceKind = z.enum(['retweeted', 'quoted', 'replied_to'])
export type ReferenceKind = z.output<typeof referenceKind>

/** The entities of a text, as in the X API v2. */
const entities = z.looseObject({
  hashtags: z.array(z.looseObject({ start: offset, end: offset, tag: z.string() })).optional(),
  cashtags: z.array(z.looseObject({ start: offset, end: offset, tag: z.string() })).optional(),
  mentions: z
    .array(z.looseObject({ start: offset, end: offset, username: z.string(), id: socialId.optional() }))
    .optional(),
  urls: z
    .array(
      z.looseObject({
        start: offset,
        end: offset,
        url: z.string(),
        expanded_url: z.string().optional(),
        display_url: z.string().optional(),
      }),
    )
    .optional(),
})

/**
 * A tweet with the classic names of the X API v2. Data that a source does not have is absent: an unknown
 * metric is omitted, never 0. Fields beyond these names pass through.
 */
export const tweet = z.looseObject({
  id: socialId,
  text: z.string(),
  author_id: socialId.optional(),
  created_at: z.iso.datetime().optional(),
  lang: z.string().optional(),
  conversation_id: socialId.optional(),
  in_reply_to_user_id: socialId.optional(),
  referenced_tweets: z.array(z.looseObject({ type: referenceKind, id: socialId })).optional(),
  public_metrics: z
    .looseObject({
      retweet_count: count.optional(),
      reply_count: count.optional(),
      like_count: count.optional(),
      quote_count: count.optional(),
      bookmark_count: count.optional(),
      impression_count: count.optional(),
    })
    .optional(),
  entities: entities.optional(),
  attachments: z.looseObject({ media_keys: z.array(z.string()).optional() }).optional(),
  note_tweet: z.looseObject({ text: z.string() }).optional(),
  community_id: socialId.optional(),
  edit_history_tweet_ids: z.array(socialId).optional(),
  possibly_sensitive: z.boolean().optional(),
  /** The public URL; not part of the X API, and provided by sources that know their site. */
  url: z.string().optional(),
})

export type Tweet = z.output<typeof tweet>

/** The id of the tweet that this one replies to, quotes or repeats; undefined if it has no such reference. */
export function referenceOf({ referenced_tweets }: Tweet, kind: ReferenceKind): string | undefined {
  return referenced_tweets?.find(({ type }) => type === kind)?.id
}
