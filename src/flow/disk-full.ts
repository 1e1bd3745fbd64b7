/** NOT_ENOUGH_SPACE in ClickHouse's src/Common/ErrorCodes.cpp. */
const NOT_ENOUGH_SPACE = '243'
/** SQLITE_FULL of https://sqlite.org/rescode.html#full */
const SQLITE_FULL = 13
/** disk_full of PostgreSQL's appendix A. */
const POSTGRES_DISK_FULL = '53100'

/**
 * Whether an error of the operating system, ClickHouse, SQLite or PostgreSQL means that a disk or its quota
 * is full.
 */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, errcode } = error as Error & { readonly code?: unknown; readonly errcode?: unknown }
  return (
    [NOT_ENOUGH_SPACE, POSTGRES_DISK_FULL, 'ENOSPC', 'EDQUOT'].includes(String(code)) ||
    errcode === SQLITE_FULL ||
    /^Code: 243\.|No space left on device|errno: (28|122)\b|Disk quota exceeded/.test(error.message)
  )
}
