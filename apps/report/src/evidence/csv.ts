/** The media type of RFC 4180 with its charset and header parameters. */
export const CSV_TYPE = 'text/csv; charset=utf-8; header=present'

/**
 * One line of CSV (RFC 4180). Text that a spreadsheet would run as a formula is prefixed with an apostrophe.
 * @example toCsvLine(['a,b', 1, null]) // '"a,b",1,\r\n'
 */
export function toCsvLine(cells: readonly (string | number | boolean | null)[]): string {
  return `${cells.map(toCell).join(',')}\r\n`
}

function toCell(value: string | number | boolean | null): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  // https://owasp.org/www-community/attacks/CSV_Injection
  const text = /^[=+\-@＝＋－＠\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
