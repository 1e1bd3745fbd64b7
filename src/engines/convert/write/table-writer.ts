import type { Table } from '../table/table.ts'
import type { Value } from '../value.ts'

/** Writes tables as text, each as a text of its own, piece by piece. Its tables count their rows themselves. */
export type TableWriter = {
  begin(table: Table): string
  /** A record; `table.rows` have been written before it. */
  record(table: Table, value: Value, line: number): string
  end(table: Table): string
}
