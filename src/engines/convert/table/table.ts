import { ConvertError } from '../convert-error.ts'
import type { Notes } from '../notes.ts'
import type { Fields, Value } from '../value.ts'
import { ColumnKind } from './column-kind.ts'

/** A table being converted: its columns in order of first appearance, and the number of rows so far. */
export class Table {
  readonly name: string
  /** Whether it holds a whole JSON text that is not a list. */
  isDocument = false
  rows = 0
  readonly #columns: string[] = []
  readonly #kinds: ColumnKind[] = []
  readonly #places = new Map<string, number>()
  /** Names of the last record and their column indexes; the next record usually has the same names. */
  #names: readonly string[] = []
  #order: readonly number[] = []

  constructor(name: string) {
    this.name = name
  }

  get columns(): readonly string[] {
    return this.#columns
  }

  get kinds(): readonly ColumnKind[] {
    return this.#kinds
  }

  /** @throws ConvertError if there are more than `max` columns */
  addColumns(names: readonly string[], max: number): void {
    for (const name of names) {
      if (this.#places.has(name)) continue
      if (this.#columns.length >= max)
        throw new ConvertError(`too many columns in ${this.name} (limit ${max})`)
      this.#places.set(name, this.#columns.length)
      this.#columns.push(name)
      this.#kinds.push(new ColumnKind())
      this.#names = []
    }
  }

  /** Adds the columns of a row and updates their statistics. */
  survey(row: Fields, max: number): void {
    if (this.#isNew(row.names)) this.addColumns(row.names, max)
    const order = this.#orderOf(row)
    row.values.forEach((value, at) => {
      this.#kinds[order[at] ?? 0]?.add(value)
    })
  }

  /** The values of a row in column order; null where the row has none. */
  align(row: Fields, notes: Notes, line: number): readonly Value[] {
    const order = this.#orderOf(row)
    if (row.values.length === this.#columns.length && order.every((place, at) => place === at))
      return row.values
    const values: Value[] = Array(this.#columns.length).fill(null)
    const taken = new Set<number>()
    order.forEach((place, at) => {
      if (taken.has(place))
        notes.addOnce(
          `${JSON.stringify(row.names[at])} occurs twice in an object: the last value is used`,
          line,
        )
      taken.add(place)
      values[place] = row.values[at] ?? null
    })
    return values
  }

  #orderOf({ names }: Fields): readonly number[] {
    if (this.#isNew(names)) {
      this.#order = names.map((name) => this.#places.get(name) ?? 0)
      this.#names = names
    }
    return this.#order
  }

  #isNew(names: readonly string[]): boolean {
    const last = this.#names
    return names !== last && (names.length !== last.length || names.some((name, at) => name !== last[at]))
  }
}
