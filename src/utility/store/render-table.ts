import type { AnswerRow } from './row.ts'

/**
 * Writes rows as CSV (RFC 4180): a header line, CRLF, quotes where needed. The columns are all fields of these
 * rows in the order in which they first appear; what is no text, number or boolean is written as JSON.
 */
export function renderCsv(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const columns = [...new Set(['id', ...rows.flatMap((row) => Object.keys(row))])]
  const lines = rows.map((row) => columns.map((column) => toCell(row[column])))
  return [columns.map(quote), ...lines].map((cells) => `${cells.join(',')}\r\n`).join('')
}

/** Writes rows as one JSON object a line. */
export function renderNdjson(rows: readonly Readonly<Record<string, unknown>>[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}

/** Leaves only the named fields of rows, in the order of the names; the id always stands first. */
export function pickFields(
  rows: readonly AnswerRow[],
  names: readonly string[] | null,
): readonly (Readonly<Record<string, unknown>> & { readonly id: number })[] {
  if (!names) return rows
  return rows.map((row) => {
    const picked = names.filter((name) => name !== 'id' && Object.hasOwn(row, name))
    // A row is a record of whatever its owner stored beside the store's own fields.
    const fields = row as Readonly<Record<string, unknown>>
    return { id: row.id, ...Object.fromEntries(picked.map((name) => [name, fields[name]])) }
  })
}

function toCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  return quote(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
