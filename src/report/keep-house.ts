import type { Logger } from 'pino'
import type { State } from '../state/state.ts'
import type { ChainOf } from './ledger/coverage.ts'
import { mergeChunks, removeRetired } from './ledger/housekeeping.ts'
import type { Ledger } from './ledger/ledger.ts'
import { dropOldPayments } from './ledger/retention.ts'
import { mergeTransfers, removeRetiredTransfers } from './ledger/transfers/transfer-housekeeping.ts'

export type HouseKeeping = ChainOf & {
  readonly ledger: Ledger
  readonly logger: Logger
  readonly now: Date
  /** Payments older than this many weeks are dropped once their weeks are published; undefined: none are. */
  readonly keptWeeks: number | undefined
}

/** Periodic maintenance of the ledger: merges small chunks, drops old payments, deletes unread rows. */
export async function keepHouse(keeping: HouseKeeping, signal: AbortSignal): Promise<void> {
  while ((await mergeChunks(keeping, signal)) > 0) signal.throwIfAborted()
  const { keptWeeks: weeks, logger } = keeping
  if (weeks !== undefined) {
    const publishedEnds = await readPublishedEnds(keeping.state)
    const firstBlock = await dropOldPayments({ ...keeping, weeks, publishedEnds }, signal)
    if (firstBlock !== null) logger.info({ firstBlock, weeks }, 'dropped payments of old published weeks')
  }
  await removeRetired(keeping, signal)
  while ((await mergeTransfers(keeping, signal)) > 0) signal.throwIfAborted()
  await removeRetiredTransfers(keeping, signal)
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
