import { createProgress } from '@tollbook/flow/progress'
import { UsageError } from '@tollbook/flow/usage-error'
import { openReports } from '@tollbook/report/open/open-reports'
import { findSources } from '@tollbook/report/open/sources'
import type { Pipeline } from '@tollbook/report/pipeline'
import { findReadChain } from '@tollbook/runtime/chain/chain-setting'
import type { Config } from '@tollbook/runtime/config'
import { placeService } from '@tollbook/runtime/places/addresses'
import { openLog } from '@tollbook/runtime/process/open-log'
import { runOnce, type Shutdown } from '@tollbook/runtime/process/shutdown'
import type { Command } from './command.ts'
import { openStore } from './open-store.ts'

/** Shown on every page of the week. */
const MAX_REASON_LENGTH = 500

export const publish: Command = {
  name: 'publish',
  usage: '[--week <date> --correct <reason>]',
  examples: ['publish', "publish --week 2026-11-15 --correct 'a facilitator was missing'"],
  notes: [
    'With the default ledger, DuckDB, stop the indexer or tollbook start first: only one process can open its folder.',
    'tollbook start and tollbook index publish automatically.',
  ],
  options: {
    week: { type: 'string', value: 'YYYY-MM-DD', help: 'the last day of the week to correct' },
    correct: {
      type: 'string',
      value: 'reason',
      help: 'compute the week again, and publish a revision with this reason if figures differ',
    },
  },
  async run({ values }) {
    const { week, correct } = values
    if (week === undefined && correct === undefined) return runOnce(publishOnce)
    if (typeof week !== 'string' || typeof correct !== 'string')
      throw new UsageError('a correction needs both options: --week for the week, --correct for the reason')
    if (!/^\d{4}-\d{2}-\d{2}$/.test(week)) throw new UsageError('--week must be a date such as 2026-11-15')
    const reason = correct.trim()
    if (reason === '' || reason.length > MAX_REASON_LENGTH)
      throw new UsageError(`--correct must state the reason in at most ${MAX_REASON_LENGTH} characters`)
    return runOnce((config, shutdown) => correctOnce(config, shutdown, { week, reason }))
  },
}

async function publishOnce(config: Config, shutdown: Shutdown): Promise<void> {
  const pipeline = await open(config, shutdown)
  const { phase } = createProgress()
  const { merchants, written, frozen } = await phase('reports', () => pipeline.publish(shutdown.signal))
  process.stdout.write(`${merchants} merchants, ${written} reports written, ${frozen} frozen\n`)
}

async function correctOnce(
  config: Config,
  shutdown: Shutdown,
  correction: { readonly week: string; readonly reason: string },
): Promise<void> {
  const pipeline = await open(config, shutdown)
  const { phase } = createProgress()
  const { revision, changed } = await phase('correction', () =>
    pipeline.publishRevision(correction, shutdown.signal),
  )
  process.stdout.write(
    changed === 0
      ? `no figure of the week ${correction.week} differs; revision ${revision} remains current\n`
      : `revision ${revision} of the week ${correction.week} is published; figures of ${changed} merchants changed\n`,
  )
}

async function open(config: Config, shutdown: Shutdown): Promise<Pipeline> {
  const logger = openLog(config)
  const chain = await findReadChain(config)
  const state = await openStore(config, shutdown)
  const { baseUrl } = await placeService(config, 'report')
  const sources = await findSources(config)
  const { pipeline } = await openReports({ config, chain, state, logger, sources, baseUrl }, shutdown.signal)
  shutdown.onClose(() => pipeline.close())
  return pipeline
}
