/** SQLITE_CONSTRAINT_PRIMARYKEY and SQLITE_CONSTRAINT_UNIQUE, https://sqlite.org/rescode.html */
const SQLITE_CONFLICTS: readonly unknown[] = [1555, 2067]
/** unique_violation, https://www.postgresql.org/docs/current/errcodes-appendix.html */
const POSTGRES_CONFLICT = '23505'

/** Whether a query failed because a row with the same unique key exists. */
export function isUniqueConflict(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('errcode' in error && SQLITE_CONFLICTS.includes(error.errcode)) return true
  return 'code' in error && error.code === POSTGRES_CONFLICT
}
