import type { Kysely } from 'kysely'
import type { State } from '../state.ts'

/**
 * One schema change; never edited after a release. Column types that mean the same on both databases:
 * `bigint` (integers, booleans as 0 or 1, epoch milliseconds), `text`, `bytea`, `double precision`.
 */
export type Migration = {
  /** `NNNN-part`; the number determines the order. */
  readonly name: string
  /**
   * Whether processes of the release before go on to work: it only adds tables, indexes, or columns that are
   * nullable or have a default. What they still use is removed in a later release.
   */
  readonly isCompatible?: true
  readonly up: (db: Kysely<unknown>, kind: State['kind']) => Promise<void>
}
