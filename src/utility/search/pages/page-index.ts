import { queryTermsOf } from '../../../engines/summary/index-terms.ts'
import { startTicker } from '../../../flow/ticker.ts'
import type { State } from '../../../state/state.ts'
import { defineJob } from '../../../workers/job.ts'
import type { WorkerPool } from '../../../workers/pool.ts'
import type { SearchBackend } from '../search-backend.ts'
import type { PageCandidate } from './page-record.ts'
import { hasPages } from './page-store.ts'
import { selectCandidates } from './select-candidates.ts'

const module = new URL('./search-work.ts', import.meta.url)
type Work = typeof import('./search-work.ts')
const searchFile = defineJob<Work['searchFile']>({ module, name: 'searchFile', deadlineMs: 8_000 })
const rank = defineJob<Work['rank']>({ module, name: 'rank', deadlineMs: 8_000 })

/** Another process may import pages at any time; interval of the check while there are none. */
const LOOK_AGAIN_MS = 2_000

/** Searches the pages stored by this operator; ready once there is one, and from then on. */
export async function openPageIndex(
  { state, workers }: { readonly state: State; readonly workers: WorkerPool },
  lookAgainMs = LOOK_AGAIN_MS,
): Promise<SearchBackend> {
  let isFilled = await hasPages(state)
  if (!isFilled) {
    const looking = startTicker({
      everyMs: lookAgainMs,
      async work() {
        isFilled = await hasPages(state)
        if (isFilled) void looking.stop()
      },
      // A store that does not answer counts as empty until the next check.
      onError: () => {},
    })
  }
  return {
    isReady: () => isFilled,
    async search(query, signal) {
      const terms = queryTermsOf(query.text)
      if (terms.length === 0) return { provider: 'index', hits: [] }
      const wanted = { terms, maxResults: query.maxResults }
      const select = selectCandidates(state.kind, terms, query)
      if (state.file !== null) {
        const { sql, parameters } = select.compile(state.db)
        const job = { file: state.file, query: { sql, parameters }, ...wanted }
        return { provider: 'index', hits: await workers.run(searchFile, job, signal) }
      }
      const { rows } = await select.execute(state.db)
      const candidates: readonly PageCandidate[] = rows
      return { provider: 'index', hits: await workers.run(rank, { candidates, ...wanted }, signal) }
    },
  }
}
