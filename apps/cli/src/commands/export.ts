import { existsSync } from 'node:fs'
import { readBlock } from '@tollbook/chain/blocks'
import { PermanentError } from '@tollbook/flow/failure'
import { createProgress } from '@tollbook/flow/progress'
import { UsageError } from '@tollbook/flow/usage-error'
import { readCoverage } from '@tollbook/report/ledger/coverage/coverage'
import { openLedgerReader } from '@tollbook/report/ledger/ledger'
import { exportPayments } from '@tollbook/report/ledger/payment-files/export-payments'
import { manifestPathOf } from '@tollbook/report/ledger/payment-files/manifest'
import { openLedgerAccess } from '@tollbook/report/open/open-ledger'
import type { Config } from '@tollbook/runtime/config'
import { runOnce, type Shutdown } from '@tollbook/runtime/process/shutdown'
import { type Bound, readBound, toBlock } from './block-bound.ts'
import type { Command } from './command.ts'
import { openStore } from './open-store.ts'

const FORMATS = ['parquet', 'csv'] as const

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
    format: { type: 'string', value: FORMATS.join('|'), help: 'default: by the file extension' },
    out: { type: 'string', value: 'file', help: 'file to create; <file>.json describes its contents' },
  },
  async run({ values, positionals }) {
    if (positionals.join(' ') !== 'payments') throw new UsageError('export needs the word payments')
    const { out, from, to } = values
    if (typeof out !== 'string' || out === '') throw new UsageError('--out is required: the file to create')
    if (existsSync(out)) throw new UsageError(`${out} already exists`)
    const format = readFormat(values.format, out)
    const bounds = { from: readBound(from, '--from'), to: readBound(to, '--to') }
    return runOnce((config, shutdown) => writeFile({ out, format, bounds }, config, shutdown))
  },
}

async function writeFile(
  {
    out,
    format,
    bounds,
  }: { out: string; format: (typeof FORMATS)[number]; bounds: { from: Bound; to: Bound } },
  config: Config,
  shutdown: Shutdown,
): Promise<void> {
  const access = await openLedgerAccess(config, { openState: openStore, open: openLedgerReader }, shutdown)
  const { signal } = shutdown
  const coverage = await readCoverage(access)
  const final = await readBlock(access.rpc, access.setting.access.finalTag, signal)
  const finalEnd = (final?.number ?? -1) + 1
  const range = {
    firstBlock: await toBlock(bounds.from, coverage.firstBlock, access, signal),
    endBlock: await toBlock(bounds.to, Math.min(coverage.endBlock, finalEnd), access, signal),
  }
  if (range.endBlock > finalEnd)
    throw new PermanentError(`blocks from ${finalEnd} on are not final yet: they may still change`)
  const last = await readBlock(access.rpc, range.endBlock - 1, signal)
  if (!last) throw new PermanentError(`the chain has no block ${range.endBlock - 1}`)
  const { phase } = createProgress()
  const manifest = await phase('export', ({ at }) =>
    exportPayments(
      {
        ...access,
        range,
        format,
        file: out,
        lastBlockHash: last.hash,
        onProgress: (done, total) => at(done, total, 'payments'),
      },
      signal,
    ),
  )
  const { payments, first_block: first, end_block: end } = manifest
  process.stdout.write(
    `${payments} payments of blocks ${first} to ${end - 1} in ${out}, described by ${manifestPathOf(out)}\n`,
  )
}

function readFormat(text: unknown, out: string): (typeof FORMATS)[number] {
  const named = text ?? /\.([a-z]+)$/.exec(out)?.[1]
  const format = FORMATS.find((each) => each === named)
  if (!format) throw new UsageError('--format must be parquet or csv')
  return format
}
