import type { AnswerRow } from './row.ts'

/**
 * Writes rows as CSV (RFC 4180): a header line, CRLF, quotes if needed. The columns are all fields of these
 * rows in order of first appearance; values other than strings, numbers and booleans are written as JSON.
 */
export function renderCsv(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const columns = [...new Set(['id', ...rows.flatMap((row) => Object.keys(row))])]
  const lines = rows.map((row) => columns.map((column) => toCell(row[column])))
  return [columns.map(quote), ...lines].map((cells) => `${cells.join(',')}\r\n`).join('')
}

/** Writes rows as one JSON object per line. */
export function renderNdjson(rows: readonly Readonly<Record<string, unknown>>[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}

/** Selects the named fields of rows, in the order of the names; the id always comes first. */
export function pickFields(
  rows: readonly AnswerRow[],
  names: readonly string[] | null,
): readonly (Readonly<Record<string, unknown>> & { readonly id: number })[] {
  if (!names) return rows
  return rows.map((row) => {
    const picked = names.filter((name) => name !== 'id' && Object.hasOwn(row, name))
    // A row holds the fields of its owner in addition to the store's own.
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
