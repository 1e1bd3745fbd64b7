import { existsSync } from 'node:fs'
import { readBlock } from '@tollbook/chain/blocks'
import { PermanentError } from '@tollbook/flow/failure'
import { createProgress } from '@tollbook/flow/progress'
import { UsageError } from '@tollbook/flow/usage-error'
import type { Config } from '@tollbook/runtime/config'
import { runOnce, type Shutdown } from '@tollbook/runtime/process/shutdown'
import { readCoverage } from '../ledger/coverage/coverage.ts'
import { openLedgerReader } from '../ledger/ledger.ts'
import { exportPayments } from '../ledger/payment-files/export-payments.ts'
import { manifestPathOf } from '../ledger/payment-files/manifest.ts'
import type { OpenState } from '../open/open-ledger.ts'
import { openLedgerAccess } from '../open/open-ledger.ts'
import { type Bound, readBound, toBlock } from './block-bound.ts'

type Words = {
  readonly values: Readonly<Record<string, unknown>>
  readonly positionals: readonly string[]
}

const FORMATS = ['parquet', 'csv'] as const

/** `tollbook export payments`. @returns the exit code. @throws UsageError */
export async function runExport({ values, positionals }: Words, openState: OpenState): Promise<number> {
  if (positionals.join(' ') !== 'payments') throw new UsageError('export needs the word payments')
  const { out, from, to } = values
  if (typeof out !== 'string' || out === '') throw new UsageError('--out is required: the file to create')
  if (existsSync(out)) throw new UsageError(`${out} already exists`)
  const format = readFormat(values.format, out)
  const bounds = { from: readBound(from, '--from'), to: readBound(to, '--to') }
  return runOnce((config, shutdown) => writeFile({ out, format, bounds, openState }, { config, shutdown }))
}

type Export = {
  readonly out: string
  readonly format: (typeof FORMATS)[number]
  readonly bounds: { readonly from: Bound; readonly to: Bound }
  readonly openState: OpenState
}

async function writeFile(
  { out, format, bounds, openState }: Export,
  { config, shutdown }: { readonly config: Config; readonly shutdown: Shutdown },
): Promise<void> {
  const access = await openLedgerAccess(config, { openState, open: openLedgerReader }, shutdown)
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
