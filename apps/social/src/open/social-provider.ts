import { ConfigError } from '@tollbook/flow/config-error'
import type { Config } from '@tollbook/runtime/config'
import { createUpstreamFetch, outsideOptions } from '@tollbook/runtime/places/outside'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { createBlueskyClient } from '../source/bluesky/bluesky-client.ts'
import { createBlueskyProvider } from '../source/bluesky/bluesky-provider.ts'
import type { SocialProvider } from '../source/provider.ts'
import { createReadThrough } from '../source/read-through/read-through.ts'
import type { SearchPlace } from '../source/store/search-tweets.ts'
import { createStoreProvider } from '../source/store/store-provider.ts'
import { meterProvider } from '../source/upstream/metered-provider.ts'
import { createUpstreamBudget } from '../source/upstream/upstream-budget.ts'
import { XClient } from '../source/x/x-client.ts'
import { createXProvider } from '../source/x/x-provider.ts'
import { X_OPERATIONS } from '../source/x/x-routes.ts'

/** Maximum number of concurrent requests to a network; further ones queue, and too many are rejected. */
const LIMITS = { perHost: 16 }

export type SocialPlace = SearchPlace & { readonly config: Config; readonly baseUrl: string }

/** The source of social data: the store, a network, or a network with the store as a read-through cache. */
export function openSocialProvider(place: SocialPlace): SocialProvider {
  const { config, state } = place
  const names = config.TOLLBOOK_SOCIAL_PROVIDERS
  const store = createStoreProvider(place)
  const upstream = names.includes('x') ? openX(place) : names.includes('bluesky') ? openBluesky(place) : null
  if (!upstream) return store
  if (!names.includes('store')) return upstream
  return createReadThrough({
    state,
    store,
    upstream,
    now: () => new Date(),
    objectMs: config.TOLLBOOK_SOCIAL_KEEP_SECONDS * 1000,
    pageMs: config.TOLLBOOK_SOCIAL_PAGE_SECONDS * 1000,
  })
}

function openX({ config, baseUrl, state }: SocialPlace): SocialProvider {
  const { TOLLBOOK_X_TOKEN = '', TOLLBOOK_X_USER_TOKEN } = config
  const unknown = Object.keys(config.TOLLBOOK_SOCIAL_BUDGET).filter(
    (name) => name !== '*' && !X_OPERATIONS.includes(name),
  )
  if (unknown.length > 0)
    throw new ConfigError(unknown.map((name) => `TOLLBOOK_SOCIAL_BUDGET: unknown operation ${name}`))
  const nowMs = () => Date.now()
  const daily = config.TOLLBOOK_SOCIAL_BUDGET
  const client = new XClient({
    url: config.TOLLBOOK_X_URL,
    bearerToken: TOLLBOOK_X_TOKEN,
    dialect: config.TOLLBOOK_X_DIALECT,
    nowMs,
    fetch: createUpstreamFetch(config, baseUrl, LIMITS),
    budget: createUpstreamBudget({ state, provider: 'x', daily, nowMs }),
  })
  const provider = createXProvider({
    client,
    nowMs,
    search: config.TOLLBOOK_X_SEARCH,
    ...(TOLLBOOK_X_USER_TOKEN !== undefined && { userToken: async () => TOLLBOOK_X_USER_TOKEN }),
  })
  return meterProvider({
    provider,
    breakerOpenMs: () => client.breakerOpenMs(),
    budget: { state, daily, nowMs },
  })
}

function openBluesky({ config, baseUrl, state }: SocialPlace): SocialProvider {
  const nowMs = () => Date.now()
  const fetch = createUpstreamFetch(config, baseUrl, LIMITS)
  const client = createBlueskyClient({ url: config.TOLLBOOK_BLUESKY_URL, fetch, nowMs })
  const provider = createBlueskyProvider({
    state,
    nowMs,
    fetch,
    client,
    plcUrl: config.TOLLBOOK_PLC_URL,
    fetchOutside: createSafeFetch(outsideOptions(config, baseUrl)),
  })
  return meterProvider({ provider, breakerOpenMs: client.pausedMs })
}

/** Whether the store is the only source; invented data must not be mixed with that of a network. */
export function isStoreAlone({ TOLLBOOK_SOCIAL_PROVIDERS: names }: Config): boolean {
  return names.every((name) => name === 'store')
}
