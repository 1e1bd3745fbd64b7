import type { Command } from './command.ts'
import { openStore } from './open-store.ts'

export const export_: Command = {
  name: 'export',
  usage: 'payments --out <file> [options]',
  examples: [
    'export payments --out week.parquet',
    'export payments --from 2026-11-08 --to 2026-11-15 --out week.csv',
  ],
  notes: [
    'It works while the indexer or tollbook start runs, on the same TOLLBOOK_DATA_DIR or TOLLBOOK_LEDGER_URL.',
  ],
  options: {
    from: { type: 'string', value: 'block|day', help: 'first block, or YYYY-MM-DD (default: all)' },
    to: {
      type: 'string',
      value: 'block|day',
      help: 'exclusive end: block or YYYY-MM-DD (default: all final)',
    },
    format: { type: 'string', value: 'parquet|csv', help: 'default: by the file extension' },
    out: { type: 'string', value: 'file', help: 'file to create; <file>.json describes its contents' },
  },
  async run(called) {
    const { runExport } = await import('@tollbook/report/commands/run-export')
    return runExport(called, openStore)
  },
}
