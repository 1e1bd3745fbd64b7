import { UsageError } from '@tollbook/flow/usage-error'
import { runOnce } from '@tollbook/runtime/process/shutdown'
import type { Command } from './command.ts'
import { openStore } from './open-store.ts'

export const import_: Command = {
  name: 'import',
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
      const { importSocial } = await import('@tollbook/social/commands/import-social')
      return runOnce((config, shutdown) => importSocial(set, { config, shutdown, openState: openStore }))
    }
    if ((what !== 'payments' && what !== 'pages') || !place || surplus.length > 0)
      throw new UsageError(
        'import needs the word payments and a file, the word pages and a source, or the word social and files',
      )
    const base = typeof values.base === 'string' ? values.base : undefined
    if (what === 'payments') {
      if (base !== undefined || isAgain) throw new UsageError('import payments accepts no option')
      const { importPaymentFile } = await import('@tollbook/report/commands/import-payments')
      return runOnce((config, shutdown) =>
        importPaymentFile(place, { config, shutdown, openState: openStore }),
      )
    }
    if (base !== undefined && !/^https?:$/.test(URL.parse(base)?.protocol ?? ''))
      throw new UsageError('--base must be an http(s) URL')
    const options = { place, base, isAgain }
    const { importPageSet } = await import('@tollbook/utility/commands/import-pages')
    return runOnce((config, shutdown) => importPageSet(options, { config, shutdown, openState: openStore }))
  },
}
