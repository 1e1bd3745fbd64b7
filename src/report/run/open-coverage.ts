import type { Logger } from 'pino'
import { type Housekeeping, PAYMENT_CHUNKS } from '../ledger/chunk-journal.ts'
import { rollBack, startCoverage } from '../ledger/coverage.ts'
import { repairTransfers } from '../ledger/transfers/transfer-housekeeping.ts'

export type Opening = Housekeeping & {
  readonly logger: Logger
  /** The first block to index; used only when the chain is indexed for the first time. */
  readonly firstBlock: number
}

/** Gives up the attempts of an ended process, and has lost blocks read again. */
export async function openCoverage(opening: Opening, signal: AbortSignal): Promise<void> {
  const { firstBlock, logger, now } = opening
  await startCoverage(opening, firstBlock, now)
  await PAYMENT_CHUNKS.giveUp(opening)
  const damagedBlock = await PAYMENT_CHUNKS.findDamage(opening, signal)
  if (damagedBlock !== null) {
    const nextBlock = await rollBack(opening, damagedBlock, now)
    logger.warn({ nextBlock }, 'the ledger has lost payments; reading the chain again from this block')
  }
  const lostBlock = await repairTransfers(opening, signal)
  if (lostBlock !== null) logger.warn({ lostBlock }, 'the ledger has lost transfers; reading them again')
}
