import { readBlock } from '@tollbook/chain/blocks'
import { PermanentError } from '@tollbook/flow/failure'
import { toWindow } from '@tollbook/verify/build/window'
import { ROLLING } from '@tollbook/verify/published/edition-name'
import { type Correction, correctWeek } from '../editions/correct-week.ts'
import { readPublishedInputs } from '../editions/published-inputs.ts'
import { loadEdition } from '../editions/stored-reports.ts'
import { readCoverage } from '../ledger/coverage/coverage.ts'
import { computeFigures } from '../run/compute-figures.ts'
import { type PublishOptions, packPayments, toComposing } from './publish-options.ts'

/**
 * Recomputes a published week, and publishes a revision when figures differ.
 * @throws PermanentError when the week is not published, or the ledger no longer has all of its payments.
 */
export async function publishRevision(
  publishing: PublishOptions,
  { week, reason }: { readonly week: string; readonly reason: string },
  signal: AbortSignal,
): Promise<Correction> {
  const { state, rpc, logger } = publishing
  const before = week === ROLLING ? undefined : await loadEdition(state, week)
  if (!before) throw new PermanentError(`the week ${week} is not published, so there is nothing to correct`)
  const coverage = await readCoverage(publishing)
  const first = await readBlock(rpc, coverage.firstBlock, signal)
  const window = toWindow({
    endBlock: before.end_block,
    end: before.window_end / 1000,
    // It was final when the week was published.
    finalHead: before.end_block,
    coverage,
    indexedSince: first?.timestamp ?? Number.POSITIVE_INFINITY,
  })
  if (!window.isComplete)
    throw new PermanentError(
      `the ledger no longer has every payment of the week ${week}; read its blocks again first, ` +
        `from block ${before.start_block} to ${before.end_block}`,
    )
  const published = await readPublishedInputs(state, before)
  const figures = await computeFigures(publishing, { edition: week, window, coverage, published }, signal)
  if (!figures.isFinal)
    throw new PermanentError(
      `transfers that the week ${week} needs are still being read; try again in a minute`,
    )
  const composing = toComposing(publishing, figures.method)
  const correction = await correctWeek(state, figures, {
    ...composing,
    before,
    reason,
    packEvidence: () => packPayments(publishing, figures, signal),
  })
  if (correction.changed > 0) logger.info({ week, ...correction, reason }, 'corrected a week')
  return correction
}
