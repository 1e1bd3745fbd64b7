import * as z from 'zod'
import { media } from './media.ts'
import { tweet } from './tweet.ts'
import { user } from './user.ts'

/**
 * The objects that the data of an answer refers to, without duplicates, in the order of first mention (X API
 * v2).
 */
export const includes = z.looseObject({
  users: z.array(user).optional(),
  tweets: z.array(tweet).optional(),
  media: z.array(media).optional(),
})

export type Includes = z.output<typeof includes>
