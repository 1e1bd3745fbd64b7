import type { DatabaseSync } from 'node:sqlite'
import {
  openReadConnection,
  type PreparedStatement,
  prepareStatement,
  runStatement,
} from '@tollbook/store/sqlite/connection'

/** Files that this process reads, with their statements; a worker usually serves one store. */
const open = new Map<string, { database: DatabaseSync; statements: Map<string, PreparedStatement> }>()
const MAX_FILES = 4
const MAX_STATEMENTS = 200

type Query = { readonly file: string; readonly sql: string; readonly parameters: readonly unknown[] }

/** The job of a search: returns the rows of a query, each as an array of column values. */
export function readRows({ file, sql, parameters }: Query): unknown[][] {
  const found = runStatement(prepare(file, sql), parameters)
  return typeof found === 'number' ? [] : found.rows.map((row) => [...row])
}

function prepare(file: string, sql: string): PreparedStatement {
  let place = open.get(file)
  if (!place) {
    if (open.size >= MAX_FILES) closeAll()
    place = { database: openReadConnection(file), statements: new Map() }
    open.set(file, place)
  }
  const known = place.statements.get(sql)
  if (known) return known
  if (place.statements.size >= MAX_STATEMENTS) place.statements.clear()
  const statement = prepareStatement(place.database, sql)
  place.statements.set(sql, statement)
  return statement
}

function closeAll(): void {
  for (const { database } of open.values()) database.close()
  open.clear()
}
