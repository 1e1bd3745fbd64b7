import type { RequestedPage, SocialOperation } from '../provider.ts'
import type { XFields } from './dialect.ts'
import type { XRequest } from './x-client.ts'
import type { XSearch } from './x-query.ts'

type Route = {
  /** The path after `/2/`, with `:id` for an id. */
  readonly route: string
  readonly fields: XFields
  /** Minimum and maximum page size; absent if the answer is not a page. */
  readonly page?: readonly [min: number, max: number]
  /** The parameter that continues a list; default `pagination_token`. */
  readonly token?: 'next_token'
}

const SEARCH: Route = {
  route: 'tweets/search/:search',
  fields: 'tweets',
  page: [10, 100],
  token: 'next_token',
}

/** The route of each operation (docs.x.com, API reference v2); communities have no route for their tweets. */
const ROUTES: Record<Exclude<SocialOperation, 'tweetsOfCommunity' | 'uploadMedia'>, Route> = {
  tweetById: { route: 'tweets/:id', fields: 'tweets' },
  tweetsByIds: { route: 'tweets', fields: 'tweets' },
  searchTweets: SEARCH,
  tweetsOfUser: { route: 'users/:id/tweets', fields: 'tweets', page: [5, 100] },
  mentions: { route: 'users/:id/mentions', fields: 'tweets', page: [5, 100] },
  repliesTo: SEARCH,
  quotesOf: { route: 'tweets/:id/quote_tweets', fields: 'tweets', page: [10, 100] },
  repostersOf: { route: 'tweets/:id/retweeted_by', fields: 'users', page: [1, 100] },
  userByUsername: { route: 'users/by/username/:id', fields: 'users' },
  searchUsers: { route: 'users/search', fields: 'users', page: [1, 1000], token: 'next_token' },
  followersOf: { route: 'users/:id/followers', fields: 'users', page: [1, 1000] },
  followedBy: { route: 'users/:id/following', fields: 'users', page: [1, 1000] },
  listById: { route: 'lists/:id', fields: 'list' },
  tweetsOfList: { route: 'lists/:id/tweets', fields: 'tweets', page: [1, 100] },
  membersOfList: { route: 'lists/:id/members', fields: 'users', page: [1, 100] },
  followersOfList: { route: 'lists/:id/followers', fields: 'users', page: [1, 100] },
  articleOf: { route: 'tweets/:id', fields: 'article' },
}

/** All operations on the X API, each with its own budget. */
export const X_OPERATIONS: readonly string[] = [...Object.keys(ROUTES), 'uploadMedia']

export type RoutedOperation = keyof typeof ROUTES

/** The route of an operation, which identifies its rate limit. */
export function routeOf(operation: SocialOperation, search: XSearch): string {
  if (operation === 'uploadMedia' || operation === 'tweetsOfCommunity') return operation
  return ROUTES[operation].route.replace(':search', search)
}

type Asked = {
  readonly id?: string
  readonly page?: RequestedPage
  readonly query?: Readonly<Record<string, string>>
  readonly search: XSearch
}

/** The request of an operation, without user and timeout. */
export function toXRequest(
  operation: RoutedOperation,
  { id = '', page, query = {}, search }: Asked,
): Omit<XRequest, 'signal' | 'userToken'> {
  const { fields, page: bounds, token = 'pagination_token' } = ROUTES[operation]
  const route = routeOf(operation, search)
  const size = page && bounds ? Math.min(bounds[1], Math.max(bounds[0], page.limit)) : 1
  return {
    operation,
    route,
    fields,
    objects: size,
    path: `/2/${route.replace(':id', encodeURIComponent(id))}`,
    query: {
      ...query,
      ...(page && { max_results: String(size) }),
      ...(page && page.position !== null && { [token]: page.position }),
    },
  }
}
