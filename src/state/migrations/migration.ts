import type { Kysely } from 'kysely'
import type { State } from '../state.ts'

/**
 * One step of the tables' history; once released it is never edited. Column types that mean the same on both
 * kinds: `bigint` (integers, booleans as 0 or 1, epoch milliseconds), `text`, `bytea`, `double precision`.
 */
export type Migration = {
  /** `NNNN-part`, the name of its file; the order is that of the list. */
  readonly name: string
  readonly up: (db: Kysely<unknown>, kind: State['kind']) => Promise<void>
}
