import type { Kysely } from 'kysely'
import type { State } from '../state.ts'

/**
 * One schema change; never edited after a release. Column types that mean the same on both databases:
 * `bigint` (integers, booleans as 0 or 1, epoch milliseconds), `text`, `bytea`, `double precision`.
 */
export type Migration = {
  /** `NNNN-part`, the name of its file; the list determines the order. */
  readonly name: string
  readonly up: (db: Kysely<unknown>, kind: State['kind']) => Promise<void>
}
