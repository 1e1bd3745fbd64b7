import type { Config } from '../../config.ts'
import { createSafeFetch } from '../../fetching/safe-fetch.ts'
import type { State } from '../../state/state.ts'
import { openPageIndex } from '../../utility/search/pages/page-index.ts'
import type { SearchBackend } from '../../utility/search/search-backend.ts'
import { firstThatAnswers } from '../../utility/search/upstream/first-that-answers.ts'
import { createSearxng } from '../../utility/search/upstream/searxng.ts'
import { createTavily } from '../../utility/search/upstream/tavily.ts'
import type { WorkerPool } from '../../workers/pool.ts'
import { outsideOptions } from './outside.ts'

/** Every search goes to one host. */
const SEARCHES_AT_A_TIME = 16

type Place = {
  readonly config: Config
  readonly baseUrl: string
  readonly state: State
  readonly workers: WorkerPool
}

/** The backends of `/api/search`: the configured upstreams, else the stored pages. */
export async function openSearch({ config, baseUrl, state, workers }: Place): Promise<SearchBackend> {
  const { TOLLBOOK_SEARXNG_URL, TOLLBOOK_SEARCH_URL, TOLLBOOK_SEARCH_KEY } = config
  const fetch = createSafeFetch({
    ...outsideOptions(config, baseUrl),
    // The operator configures the upstream, which may run in the same private network.
    allowPrivateNetwork: true,
    refusedHosts: new Set(),
    limits: { perHost: SEARCHES_AT_A_TIME },
  })
  const upstreams = [
    ...(TOLLBOOK_SEARXNG_URL ? [createSearxng({ url: TOLLBOOK_SEARXNG_URL, fetch })] : []),
    ...(TOLLBOOK_SEARCH_URL ? [createTavily({ url: TOLLBOOK_SEARCH_URL, fetch }, TOLLBOOK_SEARCH_KEY)] : []),
  ]
  return upstreams.length > 0 ? firstThatAnswers(upstreams) : openPageIndex({ state, workers })
}
