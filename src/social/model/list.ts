import * as z from 'zod'
import { socialId } from './social-id.ts'

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
