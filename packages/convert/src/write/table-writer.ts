import type { Table } from '../table/table.ts'
import type { Value } from '../value.ts'

/** Serializes tables as text, each separately and piece by piece. The caller counts the rows of each table. */
export type TableWriter = {
  begin(table: Table): string
  /** A record; `table.rows` is the number of records before it. */
  record(table: Table, value: Value, line: number | null): string
  end(table: Table): string
}
