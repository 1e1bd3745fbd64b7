import { stat } from 'node:fs/promises'
import { PermanentError } from '@tollbook/flow/failure'
import { createProgress, type Phase } from '@tollbook/flow/progress'
import { toPlainLine } from '@tollbook/flow/text/plain-line'
import { UsageError } from '@tollbook/flow/usage-error'
import { type Config, withServices } from '@tollbook/runtime/config'
import { placeService } from '@tollbook/runtime/places/addresses'
import { outsideOptions } from '@tollbook/runtime/places/outside'
import type { Shutdown } from '@tollbook/runtime/process/shutdown'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { createWorkerPool } from '@tollbook/workers/pool'
import { service } from '../open/app.ts'
import type { ImportCounts, ImportListener } from '../search/import/import-counts.ts'
import { importFolder } from '../search/import/import-folder.ts'
import { importUrls } from '../search/import/import-urls.ts'
import { listUrls } from '../search/import/list-urls.ts'
import type { State } from '../state/state.ts'

type Running = {
  readonly config: Config
  readonly shutdown: Shutdown
  readonly openState: (config: Config, shutdown: Shutdown) => Promise<State>
}

type PageSet = {
  /** URL of a sitemap, a feed or a page; a file of those or of URLs; a folder. */
  readonly place: string
  /** The URL under which a folder is published. */
  readonly base: string | undefined
  readonly isAgain: boolean
}

/** Only the number of further failures is printed. */
const MAX_FAILURES_SHOWN = 20
/** Applies to URLs named by pages or lists, and to their outcome. */
const MAX_LINE_LENGTH = 4_000

/** `tollbook import pages`: adds pages to the index of `/api/search`. */
export async function importPageSet(set: PageSet, { config, shutdown, openState }: Running): Promise<void> {
  const isFolder = await holdsFiles(set.place)
  if (isFolder && set.base === undefined)
    throw new UsageError('a folder needs --base <url>, the URL under which its pages are published')
  const state = await openState(config, shutdown)
  const workers = createWorkerPool()
  shutdown.onClose(() => workers.close())
  const { phase } = createProgress()
  const failures: string[] = []
  const common = { state, workers, isAgain: set.isAgain, now: () => new Date(), signal: shutdown.signal }
  const listen = ({ at }: Phase): ImportListener => ({
    onProgress: (done, total) => at(done, total, 'pages'),
    onFailure: (url, reason) => void failures.push(`${url}: ${reason}`),
  })
  let counts: ImportCounts
  const { base } = set
  if (isFolder && base !== undefined) {
    counts = await phase('pages', (shown) => importFolder(set.place, { ...common, ...listen(shown), base }))
  } else {
    const known = withServices(config, [service])
    const { baseUrl } = await placeService(known, service.name)
    const fetch = createSafeFetch(outsideOptions(known, baseUrl))
    const { signal } = shutdown
    const urls = await phase('list of pages', ({ at }) =>
      listUrls(set.place, { fetch, signal, onProgress: (done, total) => at(done, total, 'lists') }),
    )
    counts = await phase('pages', (shown) => importUrls(urls, { ...common, ...listen(shown), fetch }))
  }
  tell(counts, failures)
}

async function holdsFiles(place: string): Promise<boolean> {
  if (/^https?:/i.test(place)) return false
  try {
    return (await stat(place)).isDirectory()
  } catch (error) {
    throw new PermanentError(`${place} is not a URL, and not a readable file or folder`, {
      cause: error,
    })
  }
}

/** @throws PermanentError if every page failed. */
function tell({ imported, fresh, forbidden, failed }: ImportCounts, failures: readonly string[]): void {
  for (const line of failures.slice(0, MAX_FAILURES_SHOWN))
    process.stderr.write(`${toPlainLine(line, MAX_LINE_LENGTH)}\n`)
  if (failures.length > MAX_FAILURES_SHOWN)
    process.stderr.write(`and ${failures.length - MAX_FAILURES_SHOWN} further failures\n`)
  const parts = [
    `${imported} pages imported`,
    `${fresh} unchanged`,
    `${forbidden} excluded by robots.txt or their own metadata`,
    `${failed} failed`,
  ]
  process.stdout.write(`${parts.join(', ')}\n`)
  if (failed > 0 && imported + fresh === 0) throw new PermanentError('no page could be imported')
}
