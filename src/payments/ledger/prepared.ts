import { type Compilable, CompiledQuery, type QueryResult } from 'kysely'
import type { State } from '../../state/state.ts'

/** Statements whose text was made once; building them anew costs more than running them. */
export interface Prepared {
  /**
   * Runs a statement.
   * @param key what makes the text: two statements with one key may differ in their parameters only.
   * @param parameters the values in the order in which they stand in the text.
   * @throws Error when the first statement of a key has other parameters than were given.
   */
  run<Row>(key: string, parameters: readonly unknown[], build: () => Compilable): Promise<QueryResult<Row>>
}

export function createPrepared(state: State): Prepared {
  const texts = new Map<string, string>()

  function textOf(key: string, parameters: readonly unknown[], build: () => Compilable): string {
    const known = texts.get(key)
    if (known !== undefined) return known
    const compiled = build().compile()
    const isSame =
      compiled.parameters.length === parameters.length &&
      compiled.parameters.every((value, at) => value === parameters[at])
    if (!isSame) throw new Error(`the parameters of ${key} stand in another order`)
    texts.set(key, compiled.sql)
    return compiled.sql
  }

  return {
    run: (key, parameters, build) =>
      state.db.executeQuery(CompiledQuery.raw(textOf(key, parameters, build), [...parameters])),
  }
}
