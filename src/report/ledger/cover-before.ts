import { RetryableError } from '../../fetching/failure.ts'
import { type ChainOf, PAYMENT_CHUNKS } from './chunk-journal.ts'
import type { NewChunk } from './coverage.ts'

/**
 * Makes written chunks, contiguous and in order, visible before the first covered block, all at once.
 * @throws RetryableError when coverage meanwhile begins elsewhere, or the attempts were given up.
 */
export async function coverBefore(
  { state, chain }: ChainOf,
  chunks: readonly NewChunk[],
  now: Date,
): Promise<void> {
  const [first, last] = [chunks[0], chunks.at(-1)]
  if (!first || !last) return
  await state.db.transaction().execute(async (transaction) => {
    const moved = await transaction
      .updateTable('index_chain')
      // Blocks that were dropped before are available again.
      .set({ first_block: first.firstBlock, dropped_until: null, changed_at: now.getTime() })
      .where('chain', '=', chain)
      .where('first_block', '=', last.endBlock)
      .returning('chain')
      .execute()
    if (moved.length === 0) throw new RetryableError('the start of the ledger changed during the import')
    for (const { attempt, payments, misses } of chunks)
      await PAYMENT_CHUNKS.cover(transaction, { chain, now }, { attempt, payments, misses })
  })
}
