import * as z from 'zod'

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
