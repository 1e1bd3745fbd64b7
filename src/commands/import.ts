import { rm, stat } from 'node:fs/promises'
import { readBlock } from '../chain/blocks.ts'
import { createSafeFetch } from '../fetching/safe-fetch.ts'
import { PermanentError } from '../flow/failure.ts'
import { openLedger } from '../report/ledger/ledger.ts'
import { importPayments } from '../report/ledger/payment-files/import-payments.ts'
import { type Manifest, readManifest } from '../report/ledger/payment-files/manifest.ts'
import { convertToCsv, isParquet } from '../report/ledger/payment-files/parquet.ts'
import { repairPayments } from '../report/ledger/upkeep/repair-payments.ts'
import { type LedgerAccess, openLedgerAccess } from '../report/open/open-ledger.ts'
import type { Config } from '../runtime/config.ts'
import { placeService } from '../runtime/places/addresses.ts'
import { outsideOptions } from '../runtime/places/outside.ts'
import { createProgress, type Phase } from '../runtime/process/progress.ts'
import { runOnce, type Shutdown } from '../runtime/process/shutdown.ts'
import type { ImportCounts, ImportListener } from '../utility/search/import/import-counts.ts'
import { importFolder } from '../utility/search/import/import-folder.ts'
import { importUrls } from '../utility/search/import/import-urls.ts'
import { listUrls } from '../utility/search/import/list-urls.ts'
import { toPlainLine } from '../verify/plain-line.ts'
import { createWorkerPool } from '../workers/pool.ts'
import { type Command, UsageError } from './command.ts'
import { importSocial } from './import-social.ts'
import { openStore } from './open-store.ts'

export const import_: Command = {
  name: 'import',
  summary: 'Add exported payments, pages for /api/search, or social data.',
  usage:
    'payments <file> | pages <sitemap, feed or page URL | file of URLs | folder> | social <file | folder>... [options]',
  examples: [
    'import payments week.parquet',
    'import pages https://docs.example.com/sitemap.xml',
    'import pages ./public --base https://docs.example.com/',
    'import social tweets.jsonl',
  ],
  notes: [
    'pages and social work while the services run, on the same TOLLBOOK_DATA_DIR or TOLLBOOK_STATE_URL; for payments',
    'with the default ledger, DuckDB, stop the indexer or tollbook start first.',
    'An interrupted import resumes when it is called again.',
  ],
  options: {
    base: {
      type: 'string',
      value: 'url',
      help: 'pages: the URL under which the folder is published',
    },
    again: {
      type: 'boolean',
      help: 'pages: also fetch unchanged pages and those of the last day; social: also files that were already imported',
    },
  },
  async run({ values, positionals }) {
    const [what, place, ...surplus] = positionals
    const isAgain = values.again === true
    if (what === 'social') {
      if (!place) throw new UsageError('import social needs files or folders')
      if (values.base !== undefined) throw new UsageError('import social does not accept --base')
      const set = { places: [place, ...surplus], isAgain }
      return runOnce((config, shutdown) => importSocial(set, config, shutdown))
    }
    if ((what !== 'payments' && what !== 'pages') || !place || surplus.length > 0)
      throw new UsageError(
        'import needs the word payments and a file, the word pages and a source, or the word social and files',
      )
    const base = typeof values.base === 'string' ? values.base : undefined
    if (what === 'payments') {
      if (base !== undefined || isAgain) throw new UsageError('import payments accepts no option')
      return runOnce((config, shutdown) => importPaymentFile(place, config, shutdown))
    }
    if (base !== undefined && !/^https?:$/.test(URL.parse(base)?.protocol ?? ''))
      throw new UsageError('--base must be an http(s) URL')
    const options = { place, base, isAgain }
    return runOnce((config, shutdown) => importPageSet(options, config, shutdown))
  },
}

/** `tollbook import payments`: imports exported payments into the ledger. */
async function importPaymentFile(file: string, config: Config, shutdown: Shutdown): Promise<void> {
  const { signal } = shutdown
  const { phase } = createProgress()
  const manifest = await phase('check of the file', () => readManifest(file))
  const access = await openLedgerAccess(config, { openState: openStore, open: openLedger }, shutdown)
  await checkChain(manifest, access, signal)
  const lost = await repairPayments({ ...access, now: new Date() }, signal)
  if (lost !== null)
    process.stderr.write(
      `the ledger lacks blocks ${lost.firstBlock} to ${lost.endBlock - 1}, which were read before\n`,
    )
  const isCsv = !(await isParquet(file))
  const csv = isCsv ? file : `${file}.csv.part`
  try {
    if (!isCsv) {
      await rm(csv, { force: true })
      await phase('Parquet', () => convertToCsv({ from: file, to: csv }, signal))
    }
    const { imported, alreadyThere } = await phase('import', ({ at }) =>
      importPayments(
        {
          ...access,
          csv,
          manifest,
          now: () => new Date(),
          onProgress: (done, total) => at(done, total, 'payments'),
        },
        signal,
      ),
    )
    process.stdout.write(`${imported} payments imported, ${alreadyThere} already existed\n`)
  } finally {
    if (!isCsv) await rm(csv, { force: true })
  }
}

/** Payments of a block that is not on this chain belong to another chain. */
async function checkChain(
  manifest: Manifest,
  { rpc, chain }: Pick<LedgerAccess<never>, 'rpc' | 'chain'>,
  signal: AbortSignal,
): Promise<void> {
  // The import itself reports a different genesis block.
  if (manifest.chain !== chain) return
  const last = manifest.end_block - 1
  const block = await readBlock(rpc, last, signal)
  if (block?.hash !== manifest.last_block_hash) {
    const found = block ? `has ${block.hash}` : 'has no such block'
    throw new PermanentError(
      `the file ends with block ${last} of hash ${manifest.last_block_hash}; the chain ${found}`,
    )
  }
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
async function importPageSet(set: PageSet, config: Config, shutdown: Shutdown): Promise<void> {
  const isFolder = await holdsFiles(set.place)
  if (isFolder && set.base === undefined)
    throw new UsageError('a folder needs --base <url>, the URL under which its pages are published')
  const state = await openStore(config, shutdown)
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
    const { baseUrl } = await placeService(config, 'utility')
    const fetch = createSafeFetch(outsideOptions(config, baseUrl))
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
