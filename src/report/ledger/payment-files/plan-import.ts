import { PermanentError } from '../../../fetching/failure.ts'
import type { ChainOf } from '../chunk-journal.ts'
import type { Manifest } from './manifest.ts'

export type ImportPlan =
  /** Nothing was ever read: coverage begins with the file. */
  | { readonly kind: 'begin' }
  /** The file continues where coverage ends, or repeats some of the blocks before. */
  | { readonly kind: 'append'; readonly nextBlock: number }
  /** Coverage begins where the file ends. */
  | { readonly kind: 'prepend' }

/** Compares the blocks of a file with the covered ones. @throws PermanentError for another chain or a gap. */
export async function planImport({ state, chain }: ChainOf, manifest: Manifest): Promise<ImportPlan> {
  if (manifest.chain !== chain) {
    throw new PermanentError(
      `the file contains payments of another chain: its genesis block is ${manifest.chain}, the ledger's is ${chain}`,
    )
  }
  const row = await state.db
    .selectFrom('index_chain')
    .select(['first_block', 'next_block'])
    .where('chain', '=', chain)
    .executeTakeFirst()
  const { first_block: first, end_block: end } = manifest
  if (!row) return { kind: 'begin' }
  if (row.first_block === row.next_block) {
    // The configured start of indexing is not binding before a block was read.
    await state.db
      .deleteFrom('index_chain')
      .where('chain', '=', chain)
      .where('next_block', '=', row.first_block)
      .execute()
    return { kind: 'begin' }
  }
  const isThere = `the ledger covers blocks ${row.first_block} to ${row.next_block - 1}`
  const inFile = `the file contains ${first} to ${end - 1}`
  if (end === row.first_block) return { kind: 'prepend' }
  if (end < row.first_block || first > row.next_block)
    throw new PermanentError(`${isThere}, ${inFile}: importing it would leave a gap between them`)
  if (first < row.first_block) {
    throw new PermanentError(
      `${isThere}, ${inFile}: they overlap; import a file that ends before block ${row.first_block}`,
    )
  }
  return { kind: 'append', nextBlock: Math.min(row.next_block, end) }
}
