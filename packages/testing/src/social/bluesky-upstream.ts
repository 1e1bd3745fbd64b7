import { readFileSync } from 'node:fs'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import {
  type BlueskyClientOptions,
  createBlueskyClient,
} from '@tollbook/social/source/bluesky/bluesky-client'
import { createBlueskyProvider } from '@tollbook/social/source/bluesky/bluesky-provider'
import type { SocialProvider } from '@tollbook/social/source/provider'
import type { State } from '@tollbook/social/state/state'
import { findParameterIssues } from './lexicons.ts'
import type { XUpstreamAnswer, XUpstreamRequest } from './x-upstream.ts'

const FILE = new URL('../../../../apps/social/src/source/bluesky/golden/appview.ndjson', import.meta.url)

// biome-ignore lint/suspicious/noExplicitAny: answers are read by tests that know their shape
type Answer = any

export type Recorded = { readonly from: string; readonly method: string; readonly answer: Answer }

export const RECORDED: readonly Recorded[] = readFileSync(FILE, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded)

/** The recorded answer of that query whose snapshot name contains these words. */
export function recorded(method: string, words = ''): Answer {
  return RECORDED.find((one) => one.method === method && one.from.includes(words))?.answer
}

/** All nested objects that have a member of that name, by its value. */
function collect(key: 'uri' | 'did', member: 'record' | 'handle'): ReadonlyMap<string, Answer> {
  const found = new Map<string, Answer>()
  const walk = (value: Answer): void => {
    if (typeof value !== 'object' || value === null) return
    const isFuller = JSON.stringify(value).length > JSON.stringify(found.get(value[key]) ?? '').length
    if (typeof value[key] === 'string' && member in value && isFuller) found.set(value[key], value)
    for (const inner of Object.values(value)) walk(inner)
  }
  walk(RECORDED)
  return found
}

const posts = collect('uri', 'record')
const profiles = collect('did', 'handle')

/**
 * Answers like the recorded AppView: posts and profiles that any recording contains, one or several, and
 * `pages` for all other queries. Requests that violate the lexicon are rejected with the AppView's own error.
 */
export function replay(pages: Readonly<Record<string, Answer>>) {
  return ({ path, query }: XUpstreamRequest): XUpstreamAnswer => {
    const method = path.replace('/xrpc/', '')
    const issues = findParameterIssues(method, query)
    if (issues.length > 0)
      return { status: 400, body: { error: 'InvalidRequest', message: issues.join(', ') } }
    if (method in pages) return { body: pages[method] }
    const some = (all: ReadonlyMap<string, Answer>, name: string) =>
      query.getAll(name).flatMap((one) => all.get(one) ?? [])
    if (method === 'app.bsky.feed.getPosts') return { body: { posts: some(posts, 'uris') } }
    if (method === 'app.bsky.actor.getProfiles') return { body: { profiles: some(profiles, 'actors') } }
    const actor = query.get('actor')
    const profile = [...profiles.values()].find(({ did, handle }) => did === actor || handle === actor)
    if (method === 'app.bsky.actor.getProfile' && profile) return { body: profile }
    return { status: 400, body: { error: 'InvalidRequest', message: 'Profile not found' } }
  }
}

type Options = Partial<BlueskyClientOptions> & { readonly url: string; readonly state: State }

/** The provider `bluesky` on a test upstream, which is also the account directory. */
export function blueskyProvider({ state, url, ...options }: Options): SocialProvider {
  const fetch = createSafeFetch({ allowPrivateNetwork: true })
  const nowMs = options.nowMs ?? (() => Date.now())
  const client = createBlueskyClient({ fetch, nowMs, ...options, url })
  return createBlueskyProvider({ state, client, fetch, fetchOutside: fetch, plcUrl: url, nowMs })
}
