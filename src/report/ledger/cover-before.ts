import { RetryableError } from '../../fetching/failure.ts'
import { type ChainOf, markCovered, type NewChunk } from './coverage.ts'

/**
 * Makes written chunks visible before the first block that is covered, all at once.
 * @param chunks neighbours, in their order; the last ends where coverage begins.
 * @throws RetryableError when coverage has begun elsewhere meanwhile, or the attempts were given up.
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
      // What was let go of before is there again.
      .set({ first_block: first.firstBlock, dropped_until: null, changed_at: now.getTime() })
      .where('chain', '=', chain)
      .where('first_block', '=', last.endBlock)
      .returning('chain')
      .execute()
    if (moved.length === 0) throw new RetryableError('the ledger begins elsewhere meanwhile')
    for (const chunk of chunks) {
      if (!(await markCovered(transaction, { chain, chunk, now })))
        throw new RetryableError('an indexer has given up what was being imported')
    }
  })
}
