import type { Kysely, QueryExecutorProvider } from 'kysely'
import type { PrepareRead } from './prepared-read.ts'

/**
 * Runs one statement outside any transaction. @returns the number of changed rows.
 * @param isLazy on SQLite: visible at once, and flushed with the next non-lazy statement; only a power
 * failure before that loses it.
 */
export type Change = (sql: string, parameters: readonly unknown[], isLazy?: boolean) => Promise<number>

/**
 * The state store: everything except payments read from the chain. Each part of the product brings its tables. The same queries run on both databases.
 * Integers are returned as numbers (all columns stay below 2^53), booleans are 0 or 1, times are epoch
 * milliseconds, JSON is text, bytes are `Uint8Array`.
 *
 * To behave the same on both databases:
 * - cast a sum of integers: `cast(sum(bytes) as bigint)`, or PostgreSQL returns text;
 * - read a new row's generated values with `returning`, never `insertId`;
 * - begin a transaction that reads before it writes with a write to the row that guards what it reads
 * (an upsert of it): SQLite runs one transaction at a time, PostgreSQL locks that row;
 * - after a failed statement a transaction is over (PostgreSQL rejects further statements);
 * - in a transaction await nothing but its own queries: on SQLite no other write proceeds meanwhile.
 * A single statement is atomic, and on SQLite many of them share one fsync.
 */
export type State<Tables> = {
  readonly kind: 'sqlite' | 'postgres'
  readonly db: Kysely<Tables>
  /** For reads so frequent that compiling them would be most of the work. */
  readonly prepare: PrepareRead<Tables>
  /** For changes so frequent that the layers of `db` would be a large part of the work. */
  readonly change: Change
  /** The SQLite file, for readers in other threads; null on PostgreSQL. */
  readonly file: string | null
  /** Finishes running statements, rejects queued ones, and closes the database. */
  close(): Promise<void>
}

/** A state, whatever its tables are. */
export type AnyState = Omit<State<never>, 'db' | 'prepare'> & { readonly db: QueryExecutorProvider }
