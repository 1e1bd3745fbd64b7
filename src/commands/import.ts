import { rm } from 'node:fs/promises'
import { readBlock } from '../chain/blocks.ts'
import type { Config } from '../config.ts'
import { PermanentError } from '../fetching/failure.ts'
import { importPayments } from '../report/ledger/payment-files/import-payments.ts'
import { type Manifest, readManifest } from '../report/ledger/payment-files/manifest.ts'
import { convertToCsv, isParquet } from '../report/ledger/payment-files/parquet.ts'
import { type Command, UsageError } from './command.ts'
import { importPageSet } from './import-pages.ts'
import { importSocial } from './import-social.ts'
import { createProgress } from './progress.ts'
import { type LedgerAccess, openLedgerAccess } from './setup/open-ledger.ts'
import { runOnce, type Shutdown } from './setup/shutdown.ts'

/** `tollbook import`: payments for the ledger, pages for the search index, or social data. */
export const import_: Command = {
  name: 'import',
  summary: 'Add exported payments, pages for /api/search, or social data.',
  usage:
    'payments <file> | pages <sitemap, feed or page URL | file of URLs | folder> | social <file | folder>... [options]',
  examples: [
    'import payments week.parquet',
    'import pages https://docs.example.com/sitemap.xml',
    'import pages ./public --base https://docs.example.com/',
    'import social archive.zip',
  ],
  notes: [
    'pages and social work while the services run, on the same TOLLBOOK_DATA_DIR or TOLLBOOK_STATE_URL; for payments',
    'with the default ledger, chDB, stop the indexer or tollbook start first.',
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
  const access = await openLedgerAccess(config, shutdown)
  await checkChain(manifest, access, signal)
  const isCsv = !(await isParquet(file))
  const csv = isCsv ? file : `${file}.csv.part`
  try {
    if (!isCsv) {
      await rm(csv, { force: true })
      await phase('Parquet', () =>
        convertToCsv({ from: file, to: csv, chdbFolder: access.chdbFolder }, signal),
      )
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
  { rpc, chain }: LedgerAccess,
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
