import * as z from 'zod'
import { socialId } from './social-id.ts'

/** A community, as in the X API v2. */
export const community = z.looseObject({
  id: socialId,
  name: z.string(),
  description: z.string().optional(),
  created_at: z.iso.datetime().optional(),
  member_count: z.int().min(0).optional(),
})

export type Community = z.output<typeof community>
