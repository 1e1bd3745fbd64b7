import type { Compilable, CompiledQuery, Kysely } from 'kysely'

/** Returns the rows for these values, which replace those that the query was built with, in textual order. */
export type PreparedRead<Row> = (values: readonly unknown[]) => Promise<readonly Row[]>

/**
 * A frequent read, compiled once and found by its unique name. It must name its columns, and sees committed
 * data only, so it cannot be used in a transaction. @param build the query with any values; each run binds
 * its own.
 * @example const read = state.prepare('user by id', (db) =>
 * db.selectFrom('social_user').select('body').where('id', '=', ''))
 */
export type PrepareRead<Tables> = <Row>(
  name: string,
  build: (db: Kysely<Tables>) => Compilable<Row>,
) => PreparedRead<Row>

/** The function that prepares reads of one state; `bind` returns the runner of the n-th query. */
export function createPreparedReads<Tables>(
  db: Kysely<Tables>,
  bind: (query: CompiledQuery, number: number) => PreparedRead<unknown>,
): PrepareRead<Tables> {
  const known = new Map<string, PreparedRead<unknown>>()
  return <Row>(name: string, build: (db: Kysely<Tables>) => Compilable<Row>) => {
    let read = known.get(name)
    if (!read) {
      const query = build(db).compile()
      const run = bind(query, known.size)
      read = (values) => {
        // SQLite would bind null for a missing value.
        if (values.length !== query.parameters.length)
          throw new TypeError(`wrong number of values for: ${query.sql}`)
        return run(values)
      }
      known.set(name, read)
    }
    // A name identifies one query, and so rows of one type.
    return read as PreparedRead<Row>
  }
}
