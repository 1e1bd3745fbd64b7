import { type Kysely, sql } from 'kysely'
import type { AnyState } from './state.ts'

/**
 * One schema change; never edited after a release. Column types that mean the same on both databases:
 * `bigint` (integers, booleans as 0 or 1, epoch milliseconds), `text`, `bytea`, `double precision`.
 */
export type Migration = {
  /** `NNNN-part`; the number determines the order. The baselines, which create the tables of 1.0.0, have 0058. */
  readonly name: string
  /**
   * Whether processes of the release before go on to work: it only adds tables, indexes, or columns that are
   * nullable or have a default. What they still use is removed in a later release.
   */
  readonly isCompatible?: true
  readonly up: (db: Kysely<unknown>, kind: AnyState['kind']) => Promise<void>
}

/** Runs statements that contain no values of users, one after the other. */
export async function runStatements(db: Kysely<unknown>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
