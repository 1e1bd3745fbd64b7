import * as z from 'zod'

const MAX_CHARS = 4_000

/** The field of an endpoint that generates an image. */
export const imagePrompt = z
  .string()
  .regex(/\S/, 'must contain a letter, digit or symbol')
  .refine((text) => [...text].length <= MAX_CHARS, `must have at most ${MAX_CHARS} characters`)
  .meta({ maxLength: MAX_CHARS })
  .describe('What the image shows; at most 4,000 characters (Unicode code points).')
