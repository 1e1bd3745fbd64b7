import { type Housekeeping, lockChain, TRANSFER_CHUNKS } from '../chunk-journal.ts'
import { rollBackTransfers } from '../coverage/transfer-coverage.ts'
import { toCellStart } from '../coverage/transfer-plan.ts'

/** Publishing every few minutes leaves a chunk each time; this many of one cell are merged. */
const MERGED_CHUNKS = 32

/** Gives up an ended process's attempts, and uncovers what the ledger lacks. @returns its first block. */
export async function repairTransfers(
  housekeeping: Housekeeping,
  signal: AbortSignal,
): Promise<number | null> {
  const { state, chain, now } = housekeeping
  await TRANSFER_CHUNKS.giveUp(housekeeping)
  const damaged = await TRANSFER_CHUNKS.findDamage(housekeeping, signal)
  if (damaged === null) return null
  await state.db.transaction().execute(async (transaction) => {
    await lockChain(transaction, chain)
    await rollBackTransfers(transaction, { chain, now }, damaged)
  })
  return toCellStart(damaged)
}

/** Merges the chunks of one cell that has enough. @returns how many. @throws RetryableError on a rollback. */
export async function mergeTransfers(housekeeping: Housekeeping, signal: AbortSignal): Promise<number> {
  for (const direction of ['out', 'in'] as const) {
    const covered = await TRANSFER_CHUNKS.covered(housekeeping, { direction })
    const cells = Map.groupBy(covered, (chunk) => toCellStart(chunk.firstBlock))
    const chunks = [...cells.values()].find(({ length }) => length >= MERGED_CHUNKS)
    if (!chunks) continue
    await TRANSFER_CHUNKS.merge(housekeeping, { chunks, label: { direction } }, signal)
    return chunks.length
  }
  return 0
}
