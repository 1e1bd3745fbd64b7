/** The parameter and field names of a dialect of the X API. */
type Names = {
  readonly fields: 'tweet.fields' | 'post.fields'
  readonly fieldNames: readonly string[]
  readonly expansions: readonly string[]
  readonly userFields: readonly string[]
  readonly listFields: readonly string[]
  readonly metrics: Readonly<Record<string, number>>
  readonly references: string
  readonly included: 'tweets' | 'posts'
  readonly userMetrics: Readonly<Record<string, number>>
}

const COMMON_FIELDS = [
  'article',
  'attachments',
  'community_id',
  'conversation_id',
  'created_at',
  'display_text_range',
  'entities',
  'id',
  'lang',
  'possibly_sensitive',
  'public_metrics',
  'reply_settings',
  'text',
]
const COMMON_EXPANSIONS = [
  'author_id',
  'attachments.media_keys',
  'in_reply_to_user_id',
  'article.cover_media',
  'article.media_entities',
]
const COMMON_USER_FIELDS = [
  'created_at',
  'description',
  'entities',
  'id',
  'location',
  'name',
  'profile_banner_url',
  'profile_image_url',
  'protected',
  'public_metrics',
  'url',
  'username',
  'verified',
  'verified_type',
]
const COMMON_LIST_FIELDS = [
  'created_at',
  'description',
  'follower_count',
  'id',
  'member_count',
  'name',
  'private',
]
const MEDIA_FIELDS = [
  'alt_text',
  'duration_ms',
  'height',
  'media_key',
  'preview_image_url',
  'public_metrics',
  'type',
  'url',
  'variants',
  'width',
]

const NAMES: Record<'tweet' | 'post', Names> = {
  tweet: {
    fields: 'tweet.fields',
    fieldNames: [
      ...COMMON_FIELDS,
      'author_id',
      'edit_history_tweet_ids',
      'in_reply_to_user_id',
      'note_tweet',
      'referenced_tweets',
    ],
    expansions: [...COMMON_EXPANSIONS, 'referenced_tweets.id', 'referenced_tweets.id.author_id'],
    userFields: [...COMMON_USER_FIELDS, 'pinned_tweet_id'],
    listFields: [...COMMON_LIST_FIELDS, 'owner_id'],
    metrics: { retweet_count: 3, reply_count: 1, like_count: 20, quote_count: 2 },
    references: 'referenced_tweets',
    included: 'tweets',
    userMetrics: { followers_count: 5, following_count: 6, tweet_count: 7, listed_count: 0 },
  },
  post: {
    fields: 'post.fields',
    fieldNames: [...COMMON_FIELDS, 'note_post'],
    expansions: [...COMMON_EXPANSIONS, 'referenced_posts'],
    userFields: COMMON_USER_FIELDS,
    listFields: COMMON_LIST_FIELDS,
    metrics: { repost_count: 3, reply_count: 1, like_count: 20, quote_count: 2 },
    references: 'referenced_posts',
    included: 'posts',
    userMetrics: { followers_count: 5, following_count: 6, post_count: 7, listed_count: 0 },
  },
}

/**
 * An OpenAPI document in the format of the X API v2, in our own words: the routes that the provider `x`
 * calls, below `/tweet` with the names from before August 2026, and below `/post` with those since.
 */
export function xApiDocument() {
  const dialects = Object.keys(NAMES) as (keyof typeof NAMES)[]
  const paths = dialects.flatMap((dialect) =>
    Object.entries(pathsOf(NAMES[dialect])).map(([path, operations]) => [`/${dialect}${path}`, operations]),
  )
  return {
    openapi: '3.0.3',
    info: { title: 'In the shape of the X API v2', version: '1' },
    paths: Object.fromEntries(paths),
    security: [{ bearer: [] }],
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  }
}

function pathsOf(names: Names) {
  const user = {
    id: '7',
    name: 'Jun',
    username: 'jun',
    created_at: '2014-03-15T10:22:00.000Z',
    public_metrics: names.userMetrics,
  }
  const tweet = {
    id: '20',
    text: 'High water at six',
    author_id: '7',
    created_at: '2026-11-20T06:00:00.000Z',
    public_metrics: names.metrics,
    [names.references]: [{ type: 'quoted', id: '19' }],
  }
  const includes = {
    users: [user],
    [names.included]: [{ id: '19', text: 'Low water', author_id: '7', public_metrics: names.metrics }],
  }
  const article = { title: 'Tides', preview_text: 'Twice a day', plain_text: 'Twice a day.\n\nOr once.' }
  const tweets = { data: [tweet], includes, meta: { result_count: 1, next_token: 'next-page-of-tweets' } }
  const users = { data: [user], meta: { result_count: 1, next_token: 'next-page-of-users' } }
  const fields = [
    listed(names.fields, names.fieldNames),
    listed('expansions', names.expansions),
    listed('user.fields', names.userFields),
    listed('media.fields', MEDIA_FIELDS),
  ]
  const profile = [listed('user.fields', names.userFields)]
  const ofLists = [listed('list.fields', names.listFields), listed('expansions', ['owner_id']), ...profile]
  const page = (min: number, max: number, token = 'pagination_token') => [
    parameter('max_results', { type: 'integer', minimum: min, maximum: max }),
    parameter(token, { type: 'string', minLength: token === 'next_token' ? 1 : 16 }),
  ]
  const search = [
    parameter('query', { type: 'string', minLength: 1, maxLength: 4096 }, true),
    parameter('sort_order', { type: 'string', enum: ['recency', 'relevancy'] }),
    parameter('start_time', { type: 'string', format: 'date-time' }),
    parameter('end_time', { type: 'string', format: 'date-time' }),
  ]
  return {
    '/2/tweets': get([parameter('ids', { type: 'string' }, true), ...fields], { data: [tweet], includes }),
    '/2/tweets/{id}': get([id(), ...fields], { data: { ...tweet, article }, includes }),
    '/2/tweets/search/recent': get([...search, ...page(10, 100, 'next_token'), ...fields], tweets),
    '/2/tweets/{id}/quote_tweets': get([id(), ...page(10, 100), ...fields], tweets),
    '/2/tweets/{id}/retweeted_by': get([id(), ...page(1, 100), ...profile], users),
    '/2/users/by/username/{username}': get([name(), ...profile], { data: user }),
    '/2/users/{id}/tweets': get([id(), ...page(5, 100), ...fields], tweets),
    '/2/users/{id}/mentions': get([id(), ...page(5, 100), ...fields], tweets),
    '/2/users/search': get(
      [
        parameter('query', { type: 'string', pattern: "^[A-Za-z0-9_' ]{1,50}$" }, true),
        ...page(1, 1000, 'next_token'),
        ...profile,
      ],
      users,
    ),
    '/2/users/{id}/followers': get([id(), ...page(1, 1000), ...profile], users),
    '/2/users/{id}/following': get([id(), ...page(1, 1000), ...profile], users),
    '/2/lists/{id}': get([id(), ...ofLists], {
      data: { id: '5', name: 'Ports', owner_id: '7', member_count: 2, private: false },
      includes: { users: [user] },
    }),
    '/2/lists/{id}/tweets': get([id(), ...page(1, 100), ...fields], tweets),
    '/2/lists/{id}/members': get([id(), ...page(1, 100), ...profile], users),
    '/2/lists/{id}/followers': get([id(), ...page(1, 100), ...profile], users),
    '/2/media/upload': {
      post: {
        requestBody: {
          required: true,
          content: {
            'multipart/form-data': {
              schema: {
                type: 'object',
                required: ['media', 'media_category'],
                properties: {
                  media: { type: 'string', format: 'binary' },
                  media_category: { type: 'string', enum: ['tweet_image', 'tweet_gif'] },
                },
                additionalProperties: false,
              },
            },
          },
        },
        responses: answers({ data: { id: '990', media_key: '3_990', size: 4 } }),
      },
    },
  }
}

function get(parameters: readonly unknown[], example: unknown) {
  return { get: { parameters, responses: answers(example) } }
}

function answers(example: unknown) {
  const problem = {
    title: 'Invalid Request',
    type: 'https://api.twitter.com/2/problems/invalid-request',
    errors: [
      { parameters: { expansions: ['of another dialect'] }, message: 'A parameter is not one of those.' },
    ],
  }
  return {
    200: { description: 'What was asked for', content: json(example) },
    400: { description: 'The request is wrong', content: json(problem) },
    401: { description: 'No token', content: json({ title: 'Unauthorized', status: 401 }) },
  }
}

function json(example: unknown) {
  return { 'application/json': { schema: { type: 'object' }, example } }
}

function parameter(name: string, schema: unknown, isRequired = false) {
  return { in: 'query', name, required: isRequired, schema }
}

/** A parameter with comma-separated values. */
function listed(name: string, values: readonly string[]) {
  const schema = { type: 'array', minItems: 1, uniqueItems: true, items: { type: 'string', enum: values } }
  return { in: 'query', name, style: 'form', explode: false, schema }
}

function id() {
  return { in: 'path', name: 'id', required: true, schema: { type: 'string', pattern: '^[0-9]{1,19}$' } }
}

function name() {
  return {
    in: 'path',
    name: 'username',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9_]{1,15}$' },
  }
}
