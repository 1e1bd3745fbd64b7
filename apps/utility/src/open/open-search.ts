import type { AppContext } from '@tollbook/runtime/app'
import { createUpstreamFetch } from '@tollbook/runtime/places/outside'
import { ownPagesFirst } from '../search/own-pages-first.ts'
import { openPageIndex } from '../search/pages/page-index.ts'
import type { SearchBackend } from '../search/search-backend.ts'
import { firstThatAnswers } from '../search/upstream/first-that-answers.ts'
import { createMediaWiki } from '../search/upstream/mediawiki.ts'
import { createSearxng } from '../search/upstream/searxng.ts'
import { createTavily } from '../search/upstream/tavily.ts'
import type { State } from '../state/state.ts'

/** Every search goes to one host. */
const SEARCHES_AT_A_TIME = 16

/** The backends of `/api/search`: the configured upstreams, else the stored pages and the wiki. */
export async function openSearch({
  config,
  baseUrl,
  state,
  workers,
}: AppContext<State>): Promise<SearchBackend> {
  const { TOLLBOOK_SEARXNG_URL, TOLLBOOK_SEARCH_URL, TOLLBOOK_SEARCH_KEY } = config
  const fetch = createUpstreamFetch(config, baseUrl, { perHost: SEARCHES_AT_A_TIME })
  const upstreams = [
    ...(TOLLBOOK_SEARXNG_URL ? [createSearxng({ url: TOLLBOOK_SEARXNG_URL, fetch })] : []),
    ...(TOLLBOOK_SEARCH_URL ? [createTavily({ url: TOLLBOOK_SEARCH_URL, fetch }, TOLLBOOK_SEARCH_KEY)] : []),
  ]
  if (upstreams.length > 0) return firstThatAnswers(upstreams)
  const own = await openPageIndex({ state, workers })
  const url = config.TOLLBOOK_MEDIAWIKI_URL
  const wiki = url === 'off' ? null : firstThatAnswers([createMediaWiki({ url, fetch, workers })])
  return ownPagesFirst(own, wiki)
}
