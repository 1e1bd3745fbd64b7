import * as z from 'zod'
import { includes } from '../model/includes.ts'
import { socialId } from '../model/social-id.ts'
import { tweet } from '../model/tweet.ts'
import { user } from '../model/user.ts'

/** A tweet as it is answered: with its author inline, beside the one under `includes.users`. */
export const answeredTweet = tweet.extend({ author: user.optional() })

export type AnsweredTweet = z.output<typeof answeredTweet>

/** About a page. Only a missing `next_token` says that the list has ended; a page may be short, even empty. */
const meta = z.object({
  result_count: z.int().min(0),
  newest_id: socialId.optional(),
  oldest_id: socialId.optional(),
  next_token: z.string().optional(),
})

/** The answer with one object (X API v2: `data` and `includes`). */
export function singleEnvelope<Item extends z.ZodType>(item: Item) {
  return z.object({ data: item, includes: includes.optional() })
}

/** The answer with a page of objects (X API v2: `data`, `includes` and `meta`). */
export function pageEnvelope<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item), includes: includes.optional(), meta })
}

export type Meta = z.output<typeof meta>
