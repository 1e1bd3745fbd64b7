import * as z from 'zod'
import { socialId } from '../../model.ts'

/** Archives store counts and offsets as strings. */
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

/** A tweet of a data archive, in the format of the API 1.1. */
export const archiveTweet = z.looseObject({
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
