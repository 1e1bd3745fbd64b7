import { tidToNumber } from '@tollbook/social/source/bluesky/tid'
import type { SocialProvider } from '@tollbook/social/source/provider'
import type { State } from '@tollbook/social/state/state'
import type { Ask } from '../catalogue/open-service.ts'
import { TEST_TIME } from '../catalogue/run-endpoint.ts'
import { blueskyProvider, recorded, replay } from './bluesky-upstream.ts'
import { type XUpstreamAnswer, type XUpstreamRequest, xProvider } from './x-upstream.ts'

export type SocialCall = { readonly path: string; readonly options: Ask }

/** An upstream that can be made to fail, and the calls to a service on it. */
export type FailingUpstream = {
  readonly name: 'x' | 'bluesky'
  /** Calls to every endpoint that the provider covers; `session` belongs to a user of that upstream. */
  calls(session: Readonly<Record<'auth_token' | 'ct0', string>>): readonly SocialCall[]
  /** Its answers without failures. */
  healthy(requested: XUpstreamRequest): XUpstreamAnswer
  /** Seeds the ids that the calls need. */
  prepare(state: State): Promise<void>
  open(options: { state: State; url: string; deadlineMs?: number }): SocialProvider
  readonly faults: readonly UpstreamFault[]
}

export type UpstreamFault = {
  readonly name: string
  /** The answer that replaces the regular one. */
  spoil(healthy: XUpstreamAnswer): XUpstreamAnswer
  /** The answers that callers may receive. */
  readonly statuses: readonly number[]
}

const SORE = { title: 'sore thumb', detail: 'sore thumb', error: 'SoreThumb', message: 'sore thumb' }
const answer = (provided: XUpstreamAnswer) => () => provided
const withErrors = ({ body }: XUpstreamAnswer, errors: object) => ({
  body: { ...(body as object), ...errors },
})

/** Failures of any upstream. A rejected user's token is reported as such, the service's own is not. */
const FAULTS: readonly UpstreamFault[] = [
  { name: '401', spoil: answer({ status: 401, body: SORE }), statuses: [502, 403] },
  { name: '403', spoil: answer({ status: 403, body: SORE }), statuses: [502, 403] },
  { name: '404', spoil: answer({ status: 404, body: SORE }), statuses: [502] },
  {
    name: '429',
    statuses: [503],
    spoil: answer({ status: 429, body: SORE, headers: { 'retry-after': '30' } }),
  },
  { name: '500', spoil: answer({ status: 500, body: SORE }), statuses: [502] },
  { name: '503', spoil: answer({ status: 503, body: SORE }), statuses: [502] },
  { name: 'a redirect', spoil: answer({ status: 302, headers: { location: '/sore' } }), statuses: [502] },
  { name: 'nothing', spoil: answer({ isSilent: true }), statuses: [504] },
  { name: 'half an answer', spoil: (provided) => ({ ...provided, isCut: true }), statuses: [502] },
  {
    name: 'half a text',
    statuses: [502],
    spoil: ({ body }) => ({ body: JSON.stringify(body).slice(0, -2) }),
  },
  { name: 'a page for people', spoil: answer({ body: '<html>sore thumb</html>' }), statuses: [502] },
  { name: 'something else', spoil: answer({ body: { sore: 'thumb' } }), statuses: [502] },
  { name: 'errors alone', spoil: answer({ body: { errors: [SORE], ...SORE } }), statuses: [502] },
]

const JUN = { id: '7', name: 'Jun', username: 'jun' }
const USERS = { data: [JUN], meta: { result_count: 1 } }
const TWEETS = ['20', '21'].map((id) => ({ id, text: `Tide ${id}`, author_id: '7' }))
const includes = { users: [JUN] }

function healthyX({ path, query }: XUpstreamRequest): XUpstreamAnswer {
  if (path === '/2/media/upload') return { body: { data: { id: '990', media_key: '3_990' } } }
  if (/^\/2\/tweets\/\d+$/.test(path))
    return { body: { data: { ...TWEETS[0], article: { title: 'T', plain_text: 'One.' } }, includes } }
  if (/^\/2\/users\/by\/username\//.test(path)) return { body: { data: JUN } }
  if (/^\/2\/lists\/\d+$/.test(path))
    return { body: { data: { id: '5', name: 'Ports', owner_id: '7' }, includes } }
  // Without replies the tweet itself is looked up.
  if (query.get('query')?.startsWith('in_reply_to')) return { body: { meta: { result_count: 0 } } }
  if (/(followers|following|members|retweeted_by|users\/search)$/.test(path)) return { body: USERS }
  return { body: { data: TWEETS, includes, meta: { result_count: 2 } } }
}

/** The first bytes of a PNG, as a form. */
const FORM = ['--edge', 'content-disposition: form-data; name="file"; filename="a.png"', '', ''].join('\r\n')
const UPLOAD = Buffer.concat([
  Buffer.from(FORM),
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
  Buffer.from('\r\n--edge--\r\n'),
])

export const X_USER_TOKEN = 'user-token-0123456789'

export const failingX: FailingUpstream = {
  name: 'x',
  calls: ({ auth_token, ct0 }) => [
    ...[
      '/tweets/by/id?id=20',
      '/tweets?ids=20,21',
      '/tweets/search?words=tide',
      '/tweets/user?username=jun',
      '/tweets/replies?id=20',
      '/tweets/quote_tweets?id=20',
      '/tweets/retweeted_by?id=20',
      '/users/by/username?username=jun',
      '/users/search?query=jun',
      '/users/followers?id=7',
      '/users/following?id=7',
      '/lists/by/id?id=5',
      '/lists/tweets?id=5',
      '/lists/members?id=5',
      '/lists/followers?id=5',
      '/articles/by/id?id=20',
    ].map((path) => ({ path, options: {} })),
    { path: '/tweets/mentions', options: { headers: { 'x-auth-token': auth_token } } },
    {
      path: '/tweets/mediaUpload',
      options: {
        method: 'POST',
        raw: new Uint8Array(UPLOAD),
        headers: {
          'x-auth-token': auth_token,
          'x-ct0': ct0,
          'content-type': 'multipart/form-data; boundary=edge',
        },
      },
    },
  ],
  healthy: healthyX,
  prepare: async () => {},
  open: (options) =>
    xProvider({ ...options, userToken: X_USER_TOKEN, breaker: { failures: Number.MAX_SAFE_INTEGER } }),
  faults: [
    ...FAULTS,
    {
      name: 'errors next to the data',
      statuses: [502],
      spoil: (provided) => withErrors(provided, { errors: [SORE] }),
    },
  ],
}

const { posts } = recorded('app.bsky.feed.getPosts', 'fetches posts')
const [post] = posts
const { did, handle } = post.author
const LIST = {
  uri: `at://${did}/app.bsky.graph.list/3k22222222222`,
  cid: post.cid,
  creator: post.author,
  name: 'Harbours',
  purpose: 'app.bsky.graph.defs#curatelist',
  listItemCount: 1,
  indexedAt: '2024-01-01T00:00:00.000Z',
}
const ENTRY = '3k22222222223'
const ENTRY_URI = `at://${did}/com.whtwnd.blog.entry/${ENTRY}`
const LINKING = {
  ...post,
  embed: {
    $type: 'app.bsky.embed.external#view',
    external: { uri: `https://whtwnd.com/${did}/${ENTRY}`, title: 'Tides', description: '' },
  },
}
const POST_ID = tidToNumber(post.uri.split('/').at(-1)) ?? ''
const pages = {
  'app.bsky.feed.getPosts': { posts: [LINKING] },
  'app.bsky.feed.searchPosts': { posts },
  'app.bsky.feed.getAuthorFeed': { feed: [{ post }] },
  'app.bsky.feed.getPostThread': recorded('app.bsky.feed.getPostThread', 'shallow'),
  // Empty ones make the provider check whether the post itself exists.
  'app.bsky.feed.getQuotes': { uri: post.uri, posts: [] },
  'app.bsky.feed.getRepostedBy': { uri: post.uri, repostedBy: [] },
  'app.bsky.actor.searchActors': recorded('app.bsky.actor.searchActors'),
  'app.bsky.graph.getFollowers': recorded('app.bsky.graph.getFollowers'),
  'app.bsky.graph.getFollows': recorded('app.bsky.graph.getFollows'),
  'app.bsky.graph.getList': { list: LIST, items: [{ uri: LIST.uri, subject: post.author }] },
  'app.bsky.feed.getListFeed': { feed: [{ post }] },
}
const replayed = replay(pages)

export const failingBluesky: FailingUpstream = {
  name: 'bluesky',
  calls: () =>
    [
      `/tweets/by/id?id=${POST_ID}`,
      `/tweets?ids=${POST_ID}`,
      '/tweets/search?words=tide',
      `/tweets/user?username=${handle}`,
      `/tweets/replies?id=${POST_ID}`,
      `/tweets/quote_tweets?id=${POST_ID}`,
      `/tweets/retweeted_by?id=${POST_ID}`,
      `/users/by/username?username=${handle}`,
      '/users/search?query=car',
      '/users/followers?id=7',
      '/users/following?id=7',
      '/lists/by/id?id=5',
      '/lists/tweets?id=5',
      '/lists/members?id=5',
      `/articles/by/id?id=${POST_ID}`,
    ].map((path) => ({ path, options: {} })),
  healthy(requested) {
    if (requested.path === `/${did}`) {
      const serviceEndpoint = `http://${requested.headers.host}`
      return { body: { id: did, service: [{ id: '#atproto_pds', serviceEndpoint }] } }
    }
    if (!requested.path.endsWith('getRecord')) return replayed(requested)
    const value = {
      title: 'Tides',
      content: '# Tides',
      visibility: 'public',
      createdAt: TEST_TIME.toISOString(),
    }
    return { body: { uri: ENTRY_URI, cid: post.cid, value } }
  },
  async prepare(state) {
    const rows = [
      { kind: 'tweet', id: POST_ID, uri: post.uri },
      { kind: 'user', id: '7', uri: did },
      { kind: 'list', id: '5', uri: LIST.uri },
    ] as const
    await state.db.insertInto('social_known_uri').values(rows).execute()
  },
  open: (options) => blueskyProvider({ ...options, breaker: { failures: Number.MAX_SAFE_INTEGER } }),
  faults: FAULTS,
}
