import * as z from 'zod'
import { socialId } from './social-id.ts'

const count = z.int().min(0)

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
