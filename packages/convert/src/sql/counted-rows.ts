import { ConvertError } from '../convert-error.ts'
import { countRows } from './count-rows.ts'
import type { SqlTokens } from './sql-tokens.ts'

/** The number of rows that were read, by the line on which their statement begins. */
export class CountedRows {
  readonly #byLine = new Map<number, number>()

  add(line: number): void {
    this.#byLine.set(line, (this.#byLine.get(line) ?? 0) + 1)
  }

  get hasRows(): boolean {
    return this.#byLine.size > 0
  }

  /** @throws ConvertError if a separate count of the rows in `text` has another result */
  compare(text: string, { dialect, hasBackslashes }: SqlTokens): void {
    const counted = countRows(text, { dialect, hasBackslashes })
    const lines = [...new Set([...this.#byLine.keys(), ...counted.keys()])]
    const differing = lines.filter((line) => this.#byLine.get(line) !== counted.get(line))
    if (differing.length === 0) return
    const line = differing.reduce((one, other) => Math.min(one, other))
    const all = `${sumOf(this.#byLine)} rows were read, but a separate count found ${sumOf(counted)}`
    const here = `${this.#byLine.get(line) ?? 0} and ${counted.get(line) ?? 0}`
    throw new ConvertError(`${all}; the first statement in which they differ is here (${here})`, line)
  }
}

function sumOf(rows: ReadonlyMap<number, number>): number {
  return [...rows.values()].reduce((sum, count) => sum + count, 0)
}
