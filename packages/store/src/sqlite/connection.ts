import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'

/** How long a statement waits for another writing process. */
const BUSY_TIMEOUT_MS = 30_000
/** Maximum wait of a read: it blocks the event loop, and in WAL mode only a recovery makes it wait. */
const READ_BUSY_TIMEOUT_MS = 2_000
/** The write-ahead log is truncated to this size after a checkpoint. */
const MAX_KEPT_LOG_BYTES = 64 * 1024 * 1024

/** Opens the one writing connection. A commit is on disk before it is acknowledged. */
export function openWriteConnection(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
  useWriteAheadLog(database)
  database.exec('pragma synchronous = full')
  database.exec(`pragma journal_size_limit = ${MAX_KEPT_LOG_BYTES}`)
  return database
}

/** Opens a connection for point queries; each query sees everything committed before it. */
export function openReadConnection(path: string): DatabaseSync {
  return new DatabaseSync(path, { readOnly: true, timeout: READ_BUSY_TIMEOUT_MS })
}

export type Rows = { readonly columns: readonly string[]; readonly rows: readonly (readonly unknown[])[] }

export type PreparedStatement = {
  readonly statement: StatementSync
  /** Column names; none if it only changes rows. Reading them takes a third of the time of a point query. */
  readonly columns: readonly string[]
  /** Whether it selects `*`, whose columns change when the table does; `count(*)` does not. */
  readonly mayChange: boolean
}

export function prepareStatement(database: DatabaseSync, sql: string): PreparedStatement {
  const statement = database.prepare(sql)
  statement.setReturnArrays(true)
  return { statement, columns: namesOf(statement), mayChange: /(?<!\()\*/.test(sql) }
}

/** Runs a statement: returns its rows, or the number of changed rows. */
export function runStatement(
  { statement, columns, mayChange }: PreparedStatement,
  parameters: readonly unknown[],
): Rows | number {
  const bound = parameters.map(toBindable)
  if (columns.length === 0) return Number(statement.run(...bound).changes)
  // With setReturnArrays each row is an array, which the declared type does not express.
  const rows = statement.all(...bound) as unknown as unknown[][]
  // SQLite notices a changed table when the statement runs.
  return { columns: mayChange ? namesOf(statement) : columns, rows }
}

function namesOf(statement: StatementSync): string[] {
  return statement.columns().map(({ name }) => name)
}

/** node:sqlite binds every number as REAL; an integer must stay one, or a text column contains `5.0`. */
function toBindable(value: unknown): SQLInputValue {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value
  if (value === null || typeof value === 'string' || typeof value === 'bigint') return value
  if (value instanceof Uint8Array) return value
  throw new TypeError(`a value of type ${typeof value} cannot be stored`)
}

/** SQLite does not wait for other processes when it changes the journal mode. */
function useWriteAheadLog(database: DatabaseSync): void {
  const deadline = performance.now() + BUSY_TIMEOUT_MS
  for (;;) {
    try {
      database.exec('pragma journal_mode = wal')
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
    }
  }
}

/** SQLITE_BUSY, the low byte of its extended codes: https://sqlite.org/rescode.html#busy */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 5
}
