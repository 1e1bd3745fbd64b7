import * as z from 'zod'

/** A picture or film of a tweet, as the X API v2 gives it. */
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
