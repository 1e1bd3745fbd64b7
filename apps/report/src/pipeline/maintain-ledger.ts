import type { Logger } from 'pino'
import { type Housekeeping, TRANSFER_CHUNKS } from '../ledger/chunk-journal.ts'
import { mergeChunks, removeRetired } from '../ledger/upkeep/housekeeping.ts'
import { dropOldPayments } from '../ledger/upkeep/retention.ts'
import { mergeTransfers } from '../ledger/upkeep/transfer-housekeeping.ts'
import type { State } from '../state/state.ts'

export type LedgerMaintenance = Housekeeping & {
  readonly logger: Logger
  /** Payments older than this many weeks are dropped once their weeks are published; undefined: none are. */
  readonly retentionWeeks: number | undefined
}

/** Periodic maintenance of the ledger: merges small chunks, drops old payments, deletes unread rows. */
export async function maintainLedger(maintenance: LedgerMaintenance, signal: AbortSignal): Promise<void> {
  while ((await mergeChunks(maintenance, signal)) > 0) signal.throwIfAborted()
  const { retentionWeeks: weeks, logger } = maintenance
  if (weeks !== undefined) {
    const publishedEnds = await readPublishedEnds(maintenance.state)
    const firstBlock = await dropOldPayments({ ...maintenance, weeks, publishedEnds }, signal)
    if (firstBlock !== null) logger.info({ firstBlock, weeks }, 'dropped payments of old published weeks')
  }
  await removeRetired(maintenance, signal)
  while ((await mergeTransfers(maintenance, signal)) > 0) signal.throwIfAborted()
  await TRANSFER_CHUNKS.removeRetired(maintenance, signal)
}

/** Ends of the published weeks, epoch seconds. */
async function readPublishedEnds(state: State): Promise<readonly number[]> {
  const rows = await state.db
    .selectFrom('report_editions')
    .select('window_end')
    .distinct()
    // The rolling window has revision 0.
    .where('revision', '>', 0)
    .execute()
  return rows.map((row) => row.window_end / 1000)
}
