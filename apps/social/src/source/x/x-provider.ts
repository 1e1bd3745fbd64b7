import { ProblemError } from '@tollbook/http/problem'
import * as z from 'zod'
import type { ImageFile } from '../../image/image-store.ts'
import type { SocialUser, Tweet } from '../../model.ts'
import {
  type Asking,
  type FoundPage,
  NO_ARTICLE,
  type Paged,
  type RequestedPage,
  type SocialProvider,
} from '../provider.ts'
import { toArticle } from './x-article.ts'
import type { XClient } from './x-client.ts'
import { failed, readIncludes, readObject, readObjects, readPage, type XEnvelope } from './x-envelope.ts'
import {
  findXQueryIssues,
  findXUserQueryIssues,
  isScreenName,
  toXBounds,
  toXQuery,
  type XSearch,
} from './x-query.ts'
import { type RoutedOperation, routeOf, toXRequest } from './x-routes.ts'

type Upload = { readonly userToken: string; readonly file: ImageFile; readonly signal: AbortSignal }

const uploaded = z.looseObject({ id: z.string().regex(/^\d{1,19}$/) })

export type XProviderOptions = {
  readonly client: XClient
  readonly search: XSearch
  /** A user's token, which the X API requires for searching users; absent: that is not offered. */
  readonly userToken?: () => Promise<string>
  /** Epoch milliseconds. */
  readonly nowMs: () => number
}

type Asked = Asking & {
  readonly id?: string
  readonly page?: RequestedPage
  readonly query?: Readonly<Record<string, string>>
  readonly userToken?: string
}

type Options = {
  readonly find: (username: string, asking: Asking) => Promise<{ readonly id: string } | null>
  /** Epoch milliseconds. */
  readonly nowMs: () => number
}

/** TTL of cached ids, ms; short, since a name may change its owner. */
const TTL_MS = 900_000
const MAX_CACHED = 10_000

/** A provider on the official X API v2. */
export function createXProvider({ client, search, userToken, nowMs }: XProviderOptions): SocialProvider {
  const read = new XReader(client, search)
  const userByUsername = (username: string, asking: Asking) => read.userByUsername(username, asking)
  const findUserId = createUserIds({ nowMs, find: userByUsername })
  return {
    name: 'x',
    pauseSeconds: (operation) => Math.ceil(client.pausedMs(operation, routeOf(operation, search)) / 1000),
    searchIssues: {
      tweets: (query) => findXQueryIssues(query, search, nowMs()),
      ...(userToken && { users: findXUserQueryIssues }),
    },
    operations: {
      async tweetById(id, asking) {
        const envelope = await read.ask('tweetById', { ...asking, id })
        return envelope && { data: readObject('tweet', envelope.data), includes: readIncludes(envelope) }
      },
      tweetsByIds: (ids, asking) => read.tweetsByIds(ids, asking),
      async searchTweets(query, page, asking) {
        const [issue] = findXQueryIssues(query, search, nowMs())
        if (issue) throw refused(issue)
        const sent = { query: toXQuery(query), ...toXBounds(query, search, nowMs()) }
        return read.searchPage('searchTweets', sent, page, asking)
      },
      async tweetsOfUser(username, page, asking) {
        const id = await findUserId(username, asking)
        return id === null ? null : read.tweetsOf('tweetsOfUser')(id, page, asking)
      },
      async mentions({ userId, accessToken }, page, asking) {
        if (accessToken === null) throw foreignSession()
        const envelope = await read.ask('mentions', { ...asking, id: userId, page, userToken: accessToken })
        if (!envelope) throw failed('The X API does not know the user of this session.')
        return readPage('tweet', envelope)
      },
      async uploadMedia({ accessToken }, file, { signal }) {
        if (accessToken === null) throw foreignSession()
        return uploadImage(client, { userToken: accessToken, file, signal })
      },
      async repliesTo(id, page, asking) {
        const found = await read.searchPage(
          'repliesTo',
          { query: `in_reply_to_tweet_id:${id}` },
          page,
          asking,
        )
        // A search finds nothing both for a tweet without replies and for one that does not exist.
        const isEmpty = found.data.length === 0 && page.position === null
        return isEmpty && (await read.ask('tweetById', { ...asking, id })) === null ? null : found
      },
      quotesOf: read.tweetsOf('quotesOf'),
      repostersOf: read.usersOf('repostersOf'),
      userByUsername,
      ...(userToken && {
        async searchUsers(query: string, page: RequestedPage, asking: Asking) {
          const [issue] = findXUserQueryIssues(query)
          if (issue) throw refused(issue)
          const token = await userToken()
          const envelope = await read.ask('searchUsers', {
            ...asking,
            query: { query },
            page,
            userToken: token,
          })
          if (!envelope) throw failed("The X API's answer to a search is empty.")
          return readPage('user', envelope)
        },
      }),
      followersOf: read.usersOf('followersOf'),
      followedBy: read.usersOf('followedBy'),
      async listById(id, asking) {
        const envelope = await read.ask('listById', { ...asking, id })
        return envelope && { data: readObject('list', envelope.data), includes: readIncludes(envelope) }
      },
      tweetsOfList: read.tweetsOf('tweetsOfList'),
      membersOfList: read.usersOf('membersOfList'),
      followersOfList: read.usersOf('followersOfList'),
      async articleOf(tweetId, asking) {
        const envelope = await read.ask('articleOf', { ...asking, id: tweetId })
        if (!envelope) return null
        const includes = readIncludes(envelope)
        const data = toArticle(readObject('tweet', envelope.data), includes)
        return data ? { data, includes } : NO_ARTICLE
      },
    },
  }
}

/** Reads objects and pages of the X API. */
class XReader {
  readonly #client: XClient
  readonly #search: XSearch

  constructor(client: XClient, search: XSearch) {
    this.#client = client
    this.#search = search
  }

  ask(operation: RoutedOperation, requested: Asked, objects?: number): Promise<XEnvelope | null> {
    const { signal, userToken: token, ...what } = requested
    return this.#client.ask({
      ...toXRequest(operation, { ...what, search: this.#search }),
      ...(objects !== undefined && { objects }),
      ...(token !== undefined && { userToken: token }),
      signal,
    })
  }

  async tweetsByIds(ids: readonly string[], asking: Asking) {
    const envelope = await this.ask('tweetsByIds', { ...asking, query: { ids: ids.join(',') } }, ids.length)
    const read = envelope ? readObjects('tweet', envelope) : []
    const found = new Map(read.map((tweet) => [tweet.id, tweet]))
    return {
      data: ids.flatMap((id) => found.get(id) ?? []),
      missing: ids.filter((id) => !found.has(id)),
      includes: envelope ? readIncludes(envelope) : {},
    }
  }

  async userByUsername(username: string, asking: Asking): Promise<SocialUser | null> {
    if (!isScreenName(username)) return null
    const envelope = await this.ask('userByUsername', { ...asking, id: username })
    return envelope && readObject('user', envelope.data)
  }

  tweetsOf(operation: RoutedOperation): Paged<Tweet> {
    return async (id, page, asking) => {
      const envelope = await this.ask(operation, { ...asking, id, page })
      return envelope && readPage('tweet', envelope)
    }
  }

  usersOf(operation: RoutedOperation): Paged<SocialUser> {
    return async (id, page, asking) => {
      const envelope = await this.ask(operation, { ...asking, id, page })
      return envelope && readPage('user', envelope)
    }
  }

  async searchPage(
    operation: 'searchTweets' | 'repliesTo',
    query: Readonly<Record<string, string>>,
    page: RequestedPage,
    asking: Asking,
  ): Promise<FoundPage<Tweet>> {
    const sent = { ...query, sort_order: 'recency' }
    const envelope = await this.ask(operation, { ...asking, query: sent, page })
    if (!envelope) throw failed("The X API's answer to a search is empty.")
    return readPage('tweet', envelope)
  }
}

function refused({ parameter, detail }: { readonly parameter: string; readonly detail: string }) {
  return new ProblemError({ code: 'cannot_be_served', detail: `${parameter} ${detail}.` })
}

function foreignSession() {
  const detail = 'This session does not belong to a user of X.'
  return new ProblemError({ code: 'credential_refused', detail })
}

/** Ids of usernames, cached, since a lookup costs as much as a user. */
function createUserIds({ find, nowMs }: Options) {
  const cache = new Map<string, { readonly id: string; readonly untilMs: number }>()
  /** The id of the user of that name (case-insensitive); null if there is none. */
  return async (username: string, asking: Asking): Promise<string | null> => {
    const key = username.toLowerCase()
    const known = cache.get(key)
    if (known && known.untilMs > nowMs()) return known.id
    cache.delete(key)
    const id = (await find(username, asking))?.id ?? null
    if (id === null) return null
    if (cache.size >= MAX_CACHED) cache.delete(cache.keys().next().value ?? '')
    cache.set(key, { id, untilMs: nowMs() + TTL_MS })
    return id
  }
}

/**
 * Uploads an image for a tweet on behalf of the token's user (docs.x.com, "Upload media").
 * @returns the id for attaching it to a tweet.
 */
async function uploadImage(
  client: XClient,
  { userToken, file, signal }: Upload,
): Promise<{ readonly mediaId: string }> {
  const form = new FormData()
  form.set('media_category', file.contentType === 'image/gif' ? 'tweet_gif' : 'tweet_image')
  form.set('media', new File([new Uint8Array(file.bytes)], 'image', { type: file.contentType }))
  const encoded = new Response(form)
  const envelope = await client.ask({
    operation: 'uploadMedia',
    route: 'uploadMedia',
    path: '/2/media/upload',
    fields: 'none',
    body: {
      contentType: encoded.headers.get('content-type') ?? '',
      bytes: new Uint8Array(await encoded.arrayBuffer()),
    },
    userToken,
    objects: 1,
    signal,
  })
  const read = uploaded.safeParse(envelope?.data)
  if (!read.success) throw failed('The X API answered an upload without a media id.', read.error)
  return { mediaId: read.data.id }
}
