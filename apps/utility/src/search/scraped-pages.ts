import { PermanentError } from '@tollbook/flow/failure'
import { ProblemError } from '@tollbook/http/problem'
import type { WorkerPool } from '@tollbook/workers/pool'
import { documentKindOf } from '../page/document-kind.ts'
import type { Page } from '../page/read-page.ts'
import type { State } from '../state/state.ts'
import { readForIndex } from './import/read-for-index.ts'
import { forbidsIndex } from './import/read-index-page.ts'
import { savePage, trimPages } from './pages/page-store.ts'

/** Stores pages scraped by calls, if the operator allows it. */
export type ScrapedPages = {
  /** Accepts or drops a page; it is read and stored after the call. */
  readonly offer: (page: Page) => void
}

type Options = {
  readonly state: State
  readonly workers: WorkerPool
  readonly now: () => Date
  /** Receives the error of storing pages; must not throw. */
  readonly onFailure: (error: unknown) => void
}

/** Calls take precedence: while this many pages are queued, further ones are dropped. */
const MAX_WAITING = 16
/** About 1 GB. */
const MAX_KEPT = 100_000
const TRIM_EVERY = 100

/**
 * Accepts only public pages: without a query in the URL, which may hold an access key, and without `noindex`
 * or `X-Robots-Tag`.
 */
export function createScrapedPages(options: Options): ScrapedPages {
  const waiting: Page[] = []
  let isWorking = false
  let retained = 0
  async function work(): Promise<void> {
    isWorking = true
    for (let page = waiting.shift(); page; page = waiting.shift()) {
      try {
        await keep(page, options)
        retained += 1
        if (retained % TRIM_EVERY === 0) await trimPages(options.state, { source: 'scraped', max: MAX_KEPT })
      } catch (error) {
        // A page without text, or too complex, is not stored.
        const isOfPage = error instanceof ProblemError || error instanceof PermanentError
        if (!isOfPage) options.onFailure(error)
      }
    }
    isWorking = false
  }
  return {
    offer(page) {
      if (waiting.length >= MAX_WAITING || !isPublic(page)) return
      waiting.push(page)
      if (!isWorking) void work()
    },
  }
}

function isPublic({ finalUrl, status, headers, body }: Page): boolean {
  const kind = documentKindOf({ url: finalUrl, contentType: headers['content-type'] ?? '', body })
  return (
    kind === 'html' &&
    status === 200 &&
    new URL(finalUrl).search === '' &&
    !forbidsIndex(headers['x-robots-tag'] ?? '')
  )
}

async function keep({ finalUrl, headers, body }: Page, { state, workers, now }: Options): Promise<void> {
  const signal = AbortSignal.timeout(60_000)
  const { page, words, isHidden } = await readForIndex({ url: finalUrl, headers, body }, { workers, signal })
  if (isHidden) return
  await savePage(state, { page, words, source: 'scraped', now: now() })
}
