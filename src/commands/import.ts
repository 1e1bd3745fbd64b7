import { type Command, UsageError } from './command.ts'
import { importPageSet } from './import-pages.ts'
import { importPaymentFile } from './import-payments.ts'
import { importSocial } from './import-social.ts'
import { runOnce } from './setup/shutdown.ts'

/** `tollbook import`: payments into the ledger, pages into the index of searches, or social data into its store. */
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
    'pages and social work while the services run, on the same TOLLBOOK_DATA_DIR or TOLLBOOK_STATE_URL; payments,',
    'where the ledger is chDB, the default, only while no indexer and no tollbook start runs.',
    'What was cut off goes on where it stood when it is called again.',
  ],
  options: {
    base: {
      type: 'string',
      value: 'url',
      help: 'pages: where the folder is published; its files stand below it',
    },
    again: {
      type: 'boolean',
      help: 'pages: fetch those of the last day, and unchanged files, too; social: files imported before, too',
    },
  },
  async run({ values, positionals }) {
    const [what, place, ...surplus] = positionals
    const isAgain = values.again === true
    if (what === 'social') {
      if (!place) throw new UsageError('import social takes files or folders')
      if (values.base !== undefined) throw new UsageError('import social takes no --base')
      const set = { places: [place, ...surplus], isAgain }
      return runOnce((config, shutdown) => importSocial(set, config, shutdown))
    }
    if ((what !== 'payments' && what !== 'pages') || !place || surplus.length > 0)
      throw new UsageError(
        'import takes the word payments and a file, the word pages and a place, or the word social and files',
      )
    const base = typeof values.base === 'string' ? values.base : undefined
    if (what === 'payments') {
      if (base !== undefined || isAgain) throw new UsageError('import payments takes no option')
      return runOnce((config, shutdown) => importPaymentFile(place, config, shutdown))
    }
    if (base !== undefined && !/^https?:$/.test(URL.parse(base)?.protocol ?? ''))
      throw new UsageError('--base takes an http(s) URL')
    const options = { place, base, isAgain }
    return runOnce((config, shutdown) => importPageSet(options, config, shutdown))
  },
}
