import { ConvertFault } from '../convert-fault.ts'
import { Table } from './table.ts'

/** What a table is called that has no name. */
const UNNAMED = 'data'

/** The tables of one text in the order of their appearance. */
export class TableSet {
  readonly #byName = new Map<string | null, Table>()
  readonly #others = new Set<string>()
  readonly #asked: string | null
  readonly #max: number

  /** `asked` names the tables without a name, and is the only one to convert where tables have names. */
  constructor({ asked, max }: { readonly asked: string | null; readonly max: number }) {
    this.#asked = asked
    this.#max = max
  }

  /** The table, or null for one that is not to be converted. */
  find(name: string | null): Table | null {
    const known = this.#byName.get(name)
    if (known) return known
    if (name !== null && this.#asked !== null && this.#asked !== name) {
      this.#others.add(name)
      return null
    }
    if (this.#byName.size >= this.#max) throw new ConvertFault(`there are more than ${this.#max} tables`)
    const table = new Table(name ?? this.#asked ?? UNNAMED)
    this.#byName.set(name, table)
    return table
  }

  /**
   * All of them.
   * @throws ConvertFault when only others than the asked table are there.
   */
  all(): readonly Table[] {
    if (this.#byName.size > 0 || this.#others.size === 0) return [...this.#byName.values()]
    const names = [...this.#others].slice(0, 20).map((name) => JSON.stringify(name))
    throw new ConvertFault(`there is no table ${JSON.stringify(this.#asked)}, but ${names.join(', ')}`)
  }
}
