import { toJsonValue } from '../sql/json-literal.ts'
import type { TableDefinition } from '../sql/read-create-table.ts'
import { errorAt } from '../sql/sql-tokens.ts'
import type { Place } from '../text-cursor.ts'
import { Fields, type Value } from '../value.ts'
import { numberColumns } from './name-columns.ts'
import type { ReadItem } from './read-item.ts'

type KnownTable = TableDefinition & { readonly jsonColumns: readonly string[] }

/** The tables of a dump, as its CREATE TABLE statements define them. */
export class DumpTables {
  readonly #tables = new Map<string, KnownTable>()

  find(name: string): TableDefinition | null {
    return this.#tables.get(name) ?? null
  }

  define(table: TableDefinition): void {
    const jsonColumns = table.columns.filter((_, at) => /^jsonb?$/.test(table.types[at] ?? ''))
    this.#tables.set(table.name, { ...table, jsonColumns })
  }

  /** A row as a record. Without a CREATE TABLE, a table has as many columns as its first row. */
  toRecord(name: string, columns: readonly string[] | null, values: Value[], place: Place): ReadItem {
    let known = this.#tables.get(name)
    if (!known) {
      known = {
        name,
        columns: columns ?? numberColumns(values.length),
        types: [],
        identities: [],
        jsonColumns: [],
      }
      this.#tables.set(name, known)
    }
    const isNumbered = columns === null && values.length === known.columns.length - known.identities.length
    const { identities } = known
    const names =
      columns ?? (isNumbered ? known.columns.filter((name) => !identities.includes(name)) : known.columns)
    if (values.length !== names.length)
      throw errorAt(place, `a row of ${name} has ${values.length} values for ${names.length} columns`)
    for (const column of known.jsonColumns) {
      const at = names.indexOf(column)
      const value = values[at]
      if (typeof value === 'string') values[at] = toJsonValue(value)
    }
    return { kind: 'record', table: name, value: new Fields(names, values), line: place.line }
  }
}
