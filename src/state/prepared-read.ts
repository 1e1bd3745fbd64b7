import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** Gives the rows for these values, which stand in the order of the text in place of those it was built with. */
export type PreparedRead<Row> = (values: readonly unknown[]) => Promise<readonly Row[]>

/**
 * A read that is made often: its query is built and compiled at the first call, and found by its name from then on.
 * The query names its columns. It sees what is committed, so it has no place in a transaction.
 * @param name the same for the same query, and of no other in the program.
 * @param build the query with any values; each run binds its own.
 * @example
 * const read = state.prepare('user by id', (db) => db.selectFrom('social_user').select('body').where('id', '=', ''))
 * const rows = await read([id])
 */
export type PrepareRead = <Row>(
  name: string,
  build: (db: Kysely<Tables>) => Compilable<Row>,
) => PreparedRead<Row>

/** Gives what prepares the reads of one state. @param bind gives what runs a query, the how manieth it is. */
export function createPreparedReads(
  db: Kysely<Tables>,
  bind: (query: CompiledQuery, number: number) => PreparedRead<unknown>,
): PrepareRead {
  const known = new Map<string, PreparedRead<unknown>>()
  return <Row>(name: string, build: (db: Kysely<Tables>) => Compilable<Row>) => {
    let read = known.get(name)
    if (!read) {
      const query = build(db).compile()
      const run = bind(query, known.size)
      read = (values) => {
        // SQLite would take null for what is missing.
        if (values.length !== query.parameters.length) throw new TypeError(`not the values of: ${query.sql}`)
        return run(values)
      }
      known.set(name, read)
    }
    // A name stands for one query, and so for rows of one type.
    return read as PreparedRead<Row>
  }
}
