import * as z from 'zod'
import { article, includes, list, socialId, tweet, user } from '../model.ts'

/** A tweet in an answer: the author is inline, in addition to `includes.users`. */
const answeredTweet = tweet.extend({ author: user.optional() })

export type AnsweredTweet = z.output<typeof answeredTweet>

/** Metadata of a page. Only a missing `next_token` means that the list has ended; a page may be short, and an empty one is refused. */
const meta = z.object({
  result_count: z.int().min(0),
  newest_id: socialId.optional(),
  oldest_id: socialId.optional(),
  next_token: z.string().optional(),
})

/** The answer with one object (X API v2: `data` and `includes`). */
function singleEnvelope<Item extends z.ZodType>(item: Item) {
  return z.object({ data: item, includes: includes.optional() })
}

/** The answer with a page of objects (X API v2: `data`, `includes` and `meta`). */
function pageEnvelope<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item), includes: includes.optional(), meta })
}

export const tweetPage = pageEnvelope(answeredTweet)
export type TweetPage = z.output<typeof tweetPage>

export const userPage = pageEnvelope(user)
export type UserPage = z.output<typeof userPage>

/** Several objects by their ids; missing ones are listed under `errors`. */
export const batchEnvelope = z.object({
  data: z.array(answeredTweet),
  includes: includes.optional(),
  errors: z
    .array(
      z.object({
        resource_type: z.string(),
        resource_id: z.string(),
        parameter: z.string(),
        value: z.string(),
        title: z.string(),
        detail: z.string(),
      }),
    )
    .optional(),
})
export type Batch = z.output<typeof batchEnvelope>

export const articleEnvelope = singleEnvelope(article)
export type ArticleAnswer = z.output<typeof articleEnvelope>

/** A List with the names of the specification (4.3) in addition to those of the X API v2. */
export const listEnvelope = singleEnvelope(
  list.extend({
    mode: z.enum(['public', 'private']).optional(),
    subscriber_count: z.int().min(0).optional(),
    owner: user.optional(),
  }),
)
export type ListAnswer = z.output<typeof listEnvelope>

export const tweetEnvelope = singleEnvelope(answeredTweet)
export type TweetAnswer = z.output<typeof tweetEnvelope>
