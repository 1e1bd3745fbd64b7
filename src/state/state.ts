import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/**
 * The state store: everything but the payments read from the chain.
 * One set of queries runs on both kinds. Integers arrive as numbers (all columns stay below 2^53),
 * booleans are 0 or 1, times are epoch milliseconds, JSON is text.
 */
export type State = {
  readonly kind: 'sqlite' | 'postgres'
  readonly db: Kysely<Tables>
  close(): Promise<void>
}
