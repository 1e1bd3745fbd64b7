/** SQLITE_FULL of https://sqlite.org/rescode.html#full */
const SQLITE_FULL = 13
/** disk_full of PostgreSQL's appendix A. */
const POSTGRES_DISK_FULL = '53100'

/**
 * Whether an error of the operating system, SQLite or PostgreSQL means that a disk or its quota is full.
 * Only codes count: a message may repeat what a caller wrote.
 */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, errcode } = error as Error & { readonly code?: unknown; readonly errcode?: unknown }
  return [POSTGRES_DISK_FULL, 'ENOSPC', 'EDQUOT'].includes(String(code)) || errcode === SQLITE_FULL
}
