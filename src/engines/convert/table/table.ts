import { ConvertFault } from '../convert-fault.ts'
import type { Notes } from '../notes.ts'
import type { Fields, Value } from '../value.ts'
import { ColumnKind } from './column-kind.ts'

/** One table on its way: its columns in the order of their first appearance, and how many rows it has so far. */
export class Table {
  readonly name: string
  /** Whether it stands for a whole JSON text that is no list. */
  isDocument = false
  rows = 0
  readonly #columns: string[] = []
  readonly #kinds: ColumnKind[] = []
  readonly #places = new Map<string, number>()
  /** The names of the last record, and where its values belong; the next record mostly has the same. */
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

  /** @throws ConvertFault when there are more than `max` columns. */
  addColumns(names: readonly string[], max: number): void {
    for (const name of names) {
      if (this.#places.has(name)) continue
      if (this.#columns.length >= max) throw new ConvertFault(`${this.name} has more than ${max} columns`)
      this.#places.set(name, this.#columns.length)
      this.#columns.push(name)
      this.#kinds.push(new ColumnKind())
      this.#names = []
    }
  }

  /** Takes the columns of a row, and what its values are. */
  survey(row: Fields, max: number): void {
    if (this.#isNew(row.names)) this.addColumns(row.names, max)
    const order = this.#orderOf(row)
    row.values.forEach((value, at) => {
      this.#kinds[order[at] ?? 0]?.add(value)
    })
  }

  /** The values of a row in the order of the columns; null where it has none. */
  align(row: Fields, notes: Notes, line: number): readonly Value[] {
    const order = this.#orderOf(row)
    if (row.values.length === this.#columns.length && order.every((place, at) => place === at))
      return row.values
    const values: Value[] = Array(this.#columns.length).fill(null)
    const taken = new Set<number>()
    order.forEach((place, at) => {
      if (taken.has(place))
        notes.addOnce(
          `${JSON.stringify(row.names[at])} stands twice in an object: the last value counts`,
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
