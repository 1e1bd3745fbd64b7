import type { Kysely } from 'kysely'
import type { PrepareRead } from './prepared-read.ts'
import type { Tables } from './tables.ts'

/**
 * The state store: everything but the payments read from the chain.
 * One set of queries runs on both kinds. Integers arrive as numbers (all columns stay below 2^53),
 * booleans are 0 or 1, times are epoch milliseconds, JSON is text, bytes are `Uint8Array`.
 *
 * What both kinds do alike only when asked for it:
 * - a sum of integers is cast: `cast(sum(bytes) as bigint)`, or PostgreSQL answers text;
 * - a new row's generated values are read by `returning`, never by `insertId`;
 * - a transaction that reads before it writes begins with a write to the row that guards what it reads
 *   (an upsert of it): SQLite lets one transaction run at a time, PostgreSQL locks that row;
 * - after a failed statement a transaction is over (PostgreSQL refuses its further statements);
 * - a transaction awaits nothing but its own queries: on SQLite no other write goes on meanwhile.
 *   A single statement is atomic by itself, and on SQLite many of them share one fsync.
 */
export type State = {
  readonly kind: 'sqlite' | 'postgres'
  readonly db: Kysely<Tables>
  /** For reads that are made so often that compiling them would be most of their work. */
  readonly prepare: PrepareRead
  /** The SQLite file, for readers in other threads; null on PostgreSQL. */
  readonly file: string | null
  /** Ends what runs, refuses what has not begun, and lets go of the database. */
  close(): Promise<void>
}
