import { type Command, UsageError } from './command.ts'
import { importPageSet } from './import-pages.ts'
import { importPaymentFile } from './import-payments.ts'
import { runOnce } from './setup/shutdown.ts'

/** `tollbook import`: payments into the ledger, or pages into the index of searches. */
export const import_: Command = {
  name: 'import',
  summary: 'Add exported payments to the ledger, or pages to the index of /api/search.',
  usage: 'payments <file> | pages <sitemap, feed or page URL | file of URLs | folder> [options]',
  options: {
    base: {
      type: 'string',
      value: 'url',
      help: 'pages: where the folder is published; its files stand below it',
    },
    again: { type: 'boolean', help: 'pages: fetch those of the last day, and unchanged files, too' },
  },
  async run({ values, positionals }) {
    const [what, place, ...surplus] = positionals
    if ((what !== 'payments' && what !== 'pages') || !place || surplus.length > 0)
      throw new UsageError('import takes the word payments and a file, or the word pages and a place')
    const base = typeof values.base === 'string' ? values.base : undefined
    if (what === 'payments') {
      if (base !== undefined || values.again) throw new UsageError('import payments takes no option')
      return runOnce((config, shutdown) => importPaymentFile(place, config, shutdown))
    }
    if (base !== undefined && !/^https?:$/.test(URL.parse(base)?.protocol ?? ''))
      throw new UsageError('--base takes an http(s) URL')
    const options = { place, base, isAgain: values.again === true }
    return runOnce((config, shutdown) => importPageSet(options, config, shutdown))
  },
}
