import type { Kysely } from 'kysely'
import type { PrepareRead } from './prepared-read.ts'
import type { Tables } from './tables.ts'

/**
 * Runs one statement outside any transaction, and gives how many rows it changed.
 * @param isLazy on SQLite, whether it may be acknowledged before it is on the disk: it is seen at once, outlives the
 *   process, and is on the disk with the next statement that is not lazy; only a power cut before that undoes it.
 */
export type Change = (sql: string, parameters: readonly unknown[], isLazy?: boolean) => Promise<number>

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
  /** For changes that are made so often that the layers of `db` would be a good part of their work. */
  readonly change: Change
  /** The SQLite file, for readers in other threads; null on PostgreSQL. */
  readonly file: string | null
  /** Ends what runs, refuses what has not begun, and lets go of the database. */
  close(): Promise<void>
}
