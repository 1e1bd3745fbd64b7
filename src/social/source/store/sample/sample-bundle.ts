import { article } from '../../../model/article.ts'
import { community } from '../../../model/community.ts'
import { list } from '../../../model/list.ts'
import { media } from '../../../model/media.ts'
import { tweet } from '../../../model/tweet.ts'
import { user } from '../../../model/user.ts'
import type { Relation, SocialBundle } from '../../social-bundle.ts'
import BUNDLE from './bundle.json' with { type: 'json' }
import USERS from './users.json' with { type: 'json' }

/** The sample data; all of it is invented, and its texts say so. */
export function sampleBundle(): SocialBundle {
  return {
    users: USERS.users.map((one) => user.parse(one)),
    tweets: BUNDLE.tweets.map((one) => tweet.parse(one)),
    media: BUNDLE.media.map((one) => media.parse(one)),
    lists: BUNDLE.lists.map((one) => list.parse(one)),
    communities: BUNDLE.communities.map((one) => community.parse(one)),
    articles: BUNDLE.articles.map((one) => article.parse(one)),
    // The file contains only the four kinds; TypeScript infers them as string.
    relations: BUNDLE.relations as Relation[],
  }
}
