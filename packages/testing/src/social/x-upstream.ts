import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { after } from 'node:test'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import type { SocialProvider } from '@tollbook/social/source/provider'
import { createUpstreamBudget, type DailyObjects } from '@tollbook/social/source/upstream/upstream-budget'
import { XClient, type XClientOptions } from '@tollbook/social/source/x/x-client'
import { createXProvider } from '@tollbook/social/source/x/x-provider'
import type { XSearch } from '@tollbook/social/source/x/x-query'
import type { State } from '@tollbook/social/state/state'

/** The requests to the upstream. */
export type XUpstreamRequest = {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Uint8Array
}

/** Its answer; `isCut` closes the connection in the middle, `isSilent` never answers. */
export type XUpstreamAnswer = {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly isCut?: boolean
  readonly isSilent?: boolean
}

export const APP_TOKEN = 'app-token-0123456789'

/**
 * A server on loopback that returns the result of `answer` in place of the X API, and records its requests.
 */
export async function openXUpstream() {
  const asked: XUpstreamRequest[] = []
  const place = {
    url: '',
    asked,
    answer: (_: XUpstreamRequest): XUpstreamAnswer | Promise<XUpstreamAnswer> => ({ status: 404, body: {} }),
  }
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://upstream')
    const body = new Uint8Array(await buffer(request))
    const { method = '', headers } = request
    const one = { method, path: pathname, query: searchParams, headers, body }
    asked.push(one)
    const given = await place.answer(one)
    if (given.isSilent) return undefined
    const text = typeof given.body === 'string' ? given.body : JSON.stringify(given.body ?? {})
    response.writeHead(given.status ?? 200, { 'content-type': 'application/json', ...given.headers })
    if (!given.isCut) return response.end(text)
    response.write(text.slice(0, text.length / 2))
    return setImmediate(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  place.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return place
}

type Options = Partial<Omit<XClientOptions, 'url' | 'budget'>> & {
  readonly url: string
  readonly state: State
  readonly daily?: DailyObjects
  readonly search?: XSearch
  readonly userToken?: string
}

/** The provider `x` on a test upstream. */
export function xProvider({
  state,
  daily = {},
  search = 'recent',
  userToken,
  ...options
}: Options): SocialProvider {
  const nowMs = options.nowMs ?? (() => Date.now())
  const client = new XClient({
    bearerToken: APP_TOKEN,
    dialect: 'auto',
    fetch: createSafeFetch({ allowPrivateNetwork: true }),
    nowMs,
    ...options,
    budget: createUpstreamBudget({ state, provider: 'x', daily, nowMs }),
  })
  return createXProvider({
    client,
    search,
    nowMs,
    ...(userToken !== undefined && { userToken: async () => userToken }),
  })
}
