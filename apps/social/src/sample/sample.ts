import type { AnsweredTweet } from '../envelope/envelope.ts'
import { type SocialUser, type Tweet, tweet, user } from '../model.ts'
import BUNDLE from './bundle.json' with { type: 'json' }
import USERS from './users.json' with { type: 'json' }

/** The sample data. All of it is invented, and its texts say so. Examples of endpoints consist of it. */
export const SAMPLE = { ...BUNDLE, users: USERS.users }

/** @throws ZodError if the sample has no such user. */
export function sampleUser(username: string): SocialUser {
  return user.parse(SAMPLE.users.find((one) => one.username === username))
}

/** @throws ZodError if the sample has no such tweet. */
export function sampleTweet(id: string): Tweet {
  return tweet.parse(SAMPLE.tweets.find((one) => one.id === id))
}

/** The tweet with its author, as in `data` of an answer. */
export function sampleAnswer(id: string): AnsweredTweet {
  const answered = sampleTweet(id)
  return { ...answered, author: user.parse(SAMPLE.users.find((one) => one.id === answered.author_id)) }
}
