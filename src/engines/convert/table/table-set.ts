import { ConvertError } from '../convert-error.ts'
import { Table } from './table.ts'

/** Name of an unnamed table. */
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

  /**
   * All tables.
   * @throws ConvertError if the input has tables, but not the requested one
   */
  all(): readonly Table[] {
    if (this.#byName.size > 0 || this.#others.size === 0) return [...this.#byName.values()]
    const names = [...this.#others].slice(0, 20).map((name) => JSON.stringify(name))
    throw new ConvertError(`table ${JSON.stringify(this.#requested)} not found (tables: ${names.join(', ')})`)
  }
}
