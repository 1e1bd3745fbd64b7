import type { Compilable } from 'kysely'
import type { State } from '../state/state.ts'

/** Changes of the ledger whose SQL is built once; building it costs more than running it. */
export interface Prepared {
  /**
   * Runs a statement, and returns how many rows it changed.
   * @param key identifies the SQL: statements with the same key may differ in their parameters only.
   * @param parameters the values in the order in which they occur in the SQL.
   * @param isLazy whether it may be acknowledged before it is on disk, as in `State.change`.
   * @throws Error if the first statement of a key has other parameters than those passed.
   */
  run(key: string, parameters: readonly unknown[], build: () => Compilable, isLazy?: boolean): Promise<number>
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
    if (!isSame) throw new Error(`the parameters of ${key} have another order`)
    texts.set(key, compiled.sql)
    return compiled.sql
  }

  return {
    run: async (key, parameters, build, isLazy) =>
      state.change(textOf(key, parameters, build), parameters, isLazy),
  }
}
