import { createProgress } from '@tollbook/flow/progress'
import { UsageError } from '@tollbook/flow/usage-error'
import { findReadChain } from '@tollbook/runtime/chain/chain-setting'
import type { Config } from '@tollbook/runtime/config'
import { placeService } from '@tollbook/runtime/places/addresses'
import { openLog } from '@tollbook/runtime/process/open-log'
import { runOnce, type Shutdown } from '@tollbook/runtime/process/shutdown'
import type { OpenState } from '../open/open-ledger.ts'
import { openReports } from '../open/open-reports.ts'
import { findSources } from '../open/sources.ts'
import type { Pipeline } from '../pipeline.ts'

type Values = Readonly<Record<string, unknown>>

type Parts = {
  readonly openState: OpenState
  /** Adds the services that are installed to the settings. */
  readonly complete: (config: Config) => Promise<Config>
}
type Opening = Parts & { readonly config: Config; readonly shutdown: Shutdown }

/** Shown on every page of the week. */
const MAX_REASON_LENGTH = 500

/** `tollbook publish`. @returns the exit code. @throws UsageError */
export async function runPublish(values: Values, parts: Parts): Promise<number> {
  const { week, correct } = values
  if (week === undefined && correct === undefined)
    return runOnce((config, shutdown) => publishOnce({ ...parts, config, shutdown }))
  if (typeof week !== 'string' || typeof correct !== 'string')
    throw new UsageError('a correction needs both options: --week for the week, --correct for the reason')
  if (!/^\d{4}-\d{2}-\d{2}$/.test(week)) throw new UsageError('--week must be a date such as 2026-11-15')
  const reason = correct.trim()
  if (reason === '' || reason.length > MAX_REASON_LENGTH)
    throw new UsageError(`--correct must state the reason in at most ${MAX_REASON_LENGTH} characters`)
  return runOnce((config, shutdown) => correctOnce({ ...parts, config, shutdown }, { week, reason }))
}

async function publishOnce(opening: Opening): Promise<void> {
  const { signal } = opening.shutdown
  const pipeline = await open(opening)
  const { phase } = createProgress()
  const { merchants, written, frozen } = await phase('reports', () => pipeline.publish(signal))
  process.stdout.write(`${merchants} merchants, ${written} reports written, ${frozen} frozen\n`)
}

async function correctOnce(
  opening: Opening,
  correction: { readonly week: string; readonly reason: string },
): Promise<void> {
  const pipeline = await open(opening)
  const { phase } = createProgress()
  const { revision, changed } = await phase('correction', () =>
    pipeline.publishRevision(correction, opening.shutdown.signal),
  )
  process.stdout.write(
    changed === 0
      ? `no figure of the week ${correction.week} differs; revision ${revision} remains current\n`
      : `revision ${revision} of the week ${correction.week} is published; figures of ${changed} merchants changed\n`,
  )
}

async function open({ config: loaded, shutdown, openState, complete }: Opening): Promise<Pipeline> {
  const config = await complete(loaded)
  const logger = openLog(config)
  const chain = await findReadChain(config)
  const state = await openState(config, shutdown)
  const { baseUrl } = await placeService(config, 'report')
  const sources = await findSources(config)
  const { pipeline } = await openReports({ config, chain, state, logger, sources, baseUrl }, shutdown.signal)
  shutdown.onClose(() => pipeline.close())
  return pipeline
}
