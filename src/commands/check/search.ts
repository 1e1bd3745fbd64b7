import type { Config } from '../../config.ts'
import type { Finding } from './finding.ts'

/** What `/api/search` searches. An upstream is not asked: each question may cost the operator money. */
export function checkSearch(config: Config): readonly Finding[] {
  const upstreams = [config.TOLLBOOK_SEARXNG_URL, config.TOLLBOOK_SEARCH_URL].flatMap((url) =>
    url === undefined ? [] : [new URL(url).host],
  )
  const name = 'search'
  if (upstreams.length > 0) return [{ verdict: 'ok', name, text: `asks ${upstreams.join(', then ')}` }]
  const text = 'no upstream is set; searches the pages of tollbook import pages, and is not sold without any'
  return [{ verdict: 'note', name, text }]
}
