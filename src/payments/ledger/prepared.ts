import type { Compilable } from 'kysely'
import type { State } from '../../state/state.ts'

/** Changes of the ledger whose text was made once; building them anew costs more than running them. */
export interface Prepared {
  /**
   * Runs a statement, and gives how many rows it changed.
   * @param key what makes the text: two statements with one key may differ in their parameters only.
   * @param parameters the values in the order in which they stand in the text.
   * @param isLazy whether it may be acknowledged before it is on the disk, as in `State.change`.
   * @throws Error when the first statement of a key has other parameters than were given.
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
    if (!isSame) throw new Error(`the parameters of ${key} stand in another order`)
    texts.set(key, compiled.sql)
    return compiled.sql
  }

  return {
    run: async (key, parameters, build, isLazy) =>
      state.change(textOf(key, parameters, build), parameters, isLazy),
  }
}
