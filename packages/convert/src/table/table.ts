import { ConvertError } from '../convert-error.ts'
import type { Notes } from '../notes.ts'
import type { Fields, Value } from '../value.ts'
import { ColumnKind } from './column-kind.ts'

const UNNAMED = 'data'

/** The tables of one text in order of appearance. */
export class TableSet {
  readonly #byName = new Map<string | null, Table>()
  readonly #others = new Set<string>()
  readonly #requested: string | null
  readonly #max: number

  /** `requested` names an unnamed table; if tables have names, it selects the only one to convert. */
  constructor({ requested, max }: { readonly requested: string | null; readonly max: number }) {
    this.#requested = requested
    this.#max = max
  }

  /** The table, or null if it is not to be converted. */
  find(name: string | null): Table | null {
    const known = this.#byName.get(name)
    if (known) return known
    if (name !== null && this.#requested !== null && this.#requested !== name) {
      this.#others.add(name)
      return null
    }
    if (this.#byName.size >= this.#max) throw new ConvertError(`too many tables (limit ${this.#max})`)
    const table = new Table(name ?? this.#requested ?? UNNAMED)
    this.#byName.set(name, table)
    return table
  }

  /** All tables. @throws ConvertError if the input has tables, but not the requested one */
  all(): readonly Table[] {
    if (this.#byName.size > 0 || this.#others.size === 0) return [...this.#byName.values()]
    const names = [...this.#others].slice(0, 20).map((name) => JSON.stringify(name))
    throw new ConvertError(`table ${JSON.stringify(this.#requested)} not found (tables: ${names.join(', ')})`)
  }
}

/** A table being converted: its columns in order of first appearance, and the number of rows so far. */
export class Table {
  readonly name: string
  /** Whether it holds a whole JSON text that is not a list. */
  isDocument = false
  rows = 0
  readonly #columns: string[] = []
  readonly #kinds: ColumnKind[] = []
  readonly #places = new Map<string, number>()
  /** Columns that were reported as missing from a row. */
  readonly #missing = new Set<number>()
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
  align(row: Fields, notes: Notes, line: number | null): readonly Value[] {
    const order = this.#orderOf(row)
    if (row.values.length === this.#columns.length && order.every((place, at) => place === at))
      return row.values
    const values: Value[] = Array(this.#columns.length).fill(null)
    const taken = new Set<number>()
    this.#noteMissing(order, notes, line)
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

  #noteMissing(order: readonly number[], notes: Notes, line: number | null): void {
    const present = new Set(order)
    this.#columns.forEach((name, at) => {
      if (present.has(at) || this.#missing.has(at)) return
      this.#missing.add(at)
      notes.add(
        `this row of ${this.name} has no ${JSON.stringify(name)}, which is null here and in all further rows without it`,
        line,
      )
    })
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
