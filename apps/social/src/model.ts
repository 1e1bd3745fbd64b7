import * as z from 'zod'

const count = z.int().min(0)
/** Offsets count Unicode code points from 0; the end is exclusive. */
const offset = z.int().min(0)

export const referenceKind = z.enum(['retweeted', 'quoted', 'replied_to'])
export type ReferenceKind = z.output<typeof referenceKind>

const MAX_ID = 2n ** 63n - 1n

/** The id of a tweet, user, list or community: a decimal string of at most 63 bits (X API v2). */
export const socialId = z
  .string()
  .regex(/^\d{1,19}$/, 'must be 1 to 19 decimal digits')
  .describe('A numeric id: 1 to 19 decimal digits.')

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

/** A picture or video of a tweet, as in the X API v2. */
export const media = z.looseObject({
  media_key: z.string(),
  type: z.string(),
  url: z.string().optional(),
  preview_image_url: z.string().optional(),
  width: z.int().min(0).optional(),
  height: z.int().min(0).optional(),
  alt_text: z.string().optional(),
  duration_ms: z.int().min(0).optional(),
})
export type Media = z.output<typeof media>

/** A community, as in the X API v2. */
export const community = z.looseObject({
  id: socialId,
  name: z.string(),
  description: z.string().optional(),
  created_at: z.iso.datetime().optional(),
  member_count: z.int().min(0).optional(),
})
export type Community = z.output<typeof community>

/** A list of users, as in the X API v2, with the mode and the banner that the specification names (4.3). */
export const list = z.looseObject({
  id: socialId,
  name: z.string(),
  description: z.string().optional(),
  private: z.boolean().optional(),
  member_count: z.int().min(0).optional(),
  follower_count: z.int().min(0).optional(),
  created_at: z.iso.datetime().optional(),
  owner_id: socialId.optional(),
  banner_image_url: z.string().optional(),
})
export type SocialList = z.output<typeof list>

/** A long text attached to a tweet, its body as Markdown (specification 4.3). */
export const article = z.looseObject({
  /** The tweet it is attached to. */
  id: socialId,
  article_id: socialId.optional(),
  title: z.string(),
  preview_text: z.string().optional(),
  cover_image: z
    .looseObject({
      url: z.string(),
      width: z.int().min(0).optional(),
      height: z.int().min(0).optional(),
    })
    .optional(),
  published_at: z.iso.datetime().optional(),
  author_id: socialId.optional(),
  article_content: z.string(),
  /** `rich` with headings, bold, italic, lists, images and links; `plain` if the source has only paragraphs. */
  content_format: z.enum(['rich', 'plain']),
})
export type Article = z.output<typeof article>

/**
 * A user object with the names of the X API v2. Data that a source does not have is absent, never 0 or null;
 * fields beyond these names pass through.
 */
export const user = z.looseObject({
  id: socialId,
  name: z.string(),
  username: z.string().regex(/^[A-Za-z0-9_.-]{1,253}$/),
  description: z.string().optional(),
  location: z.string().optional(),
  url: z.string().optional(),
  created_at: z.iso.datetime().optional(),
  profile_image_url: z.string().optional(),
  profile_banner_url: z.string().optional(),
  pinned_tweet_id: socialId.optional(),
  protected: z.boolean().optional(),
  verified: z.boolean().optional(),
  verified_type: z.string().optional(),
  public_metrics: z
    .looseObject({
      followers_count: count.optional(),
      following_count: count.optional(),
      tweet_count: count.optional(),
      listed_count: count.optional(),
      like_count: count.optional(),
      media_count: count.optional(),
    })
    .optional(),
})
export type SocialUser = z.output<typeof user>

/** The objects that the data of an answer refers to, without duplicates, in the order of first mention (X API v2). */
export const includes = z.looseObject({
  users: z.array(user).optional(),
  tweets: z.array(tweet).optional(),
  media: z.array(media).optional(),
})
export type Includes = z.output<typeof includes>

/** The id of the tweet that this one replies to, quotes or repeats; undefined if it has no such reference. */
export function referenceOf({ referenced_tweets }: Tweet, kind: ReferenceKind): string | undefined {
  return referenced_tweets?.find(({ type }) => type === kind)?.id
}

/** Whether a decimal string fits the 63 bits of an id; the schema reports the issue of any other string. */
export function isInRange(id: string): boolean {
  return id.length < 19 || !/^\d+$/.test(id) || BigInt(id) <= MAX_ID
}
