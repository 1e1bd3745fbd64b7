import * as z from 'zod'

/** Ids are decimal texts of 64 bits (X API v2). */
const id = z.string().regex(/^\d{1,19}$/)
const count = z.int().min(0)

/**
 * A user object with the names of the X API v2. What a source does not know is left out, and never 0 or null.
 */
export const user = z.object({
  id,
  name: z.string(),
  username: z.string().regex(/^[A-Za-z0-9_]{1,15}$/),
  description: z.string().optional(),
  location: z.string().optional(),
  url: z.url().optional(),
  created_at: z.iso.datetime().optional(),
  profile_image_url: z.url().optional(),
  profile_banner_url: z.url().optional(),
  pinned_tweet_id: id.optional(),
  protected: z.boolean().optional(),
  verified: z.boolean().optional(),
  verified_type: z.enum(['blue', 'business', 'government', 'none']).optional(),
  public_metrics: z
    .object({
      followers_count: count,
      following_count: count,
      tweet_count: count,
      listed_count: count.optional(),
      like_count: count.optional(),
      media_count: count.optional(),
    })
    .optional(),
})

export type SocialUser = z.output<typeof user>
