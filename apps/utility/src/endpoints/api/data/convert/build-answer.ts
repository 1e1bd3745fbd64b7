import { convert, type Piece } from '@tollbook/convert/convert'
import { ConvertError } from '@tollbook/convert/convert-error'
import { CONTENT_TYPES, type ConvertOptions } from '@tollbook/convert/format'
import { Notes } from '@tollbook/convert/notes'
import type { Table } from '@tollbook/convert/table/table'
import { joinJsonTables } from '@tollbook/convert/write/write-json'

export type AnswerInput = {
  readonly text: string
  readonly options: ConvertOptions
  readonly ts: string
}

/** The complete answer as JSON text, or the reason for the failure. */
export type BuiltAnswer =
  | { readonly body: Uint8Array }
  | {
      readonly error: {
        readonly message: string
        readonly line: number | null
        readonly column: number | null
      }
    }

/**
 * Converts and serializes the answer itself: numbers in `data` may have more digits than a JavaScript number
 * can hold.
 */
export function buildAnswer({ text, options, ts }: AnswerInput): BuiltAnswer {
  try {
    return { body: new TextEncoder().encode(writeAnswer(text, options, ts)) }
  } catch (error) {
    if (!(error instanceof ConvertError)) throw error
    return { error: { message: error.message, line: error.line, column: error.column } }
  }
}

function writeAnswer(text: string, options: ConvertOptions, ts: string): string {
  const { from, to, pretty, header } = options
  const notes = new Notes()
  const pieces = new Map<Table, string[]>()
  for (const piece of convert(() => [text], options, notes) as Iterable<Piece>) {
    const texts = pieces.get(piece.table)
    if (texts) texts.push(piece.text)
    else pieces.set(piece.table, [piece.text])
  }
  const tables = [...pieces].map(([table, texts]) => ({ table, name: table.name, text: texts.join('') }))
  const isApart = tables.length > 1 && to !== 'json' && to !== 'sql'
  const isJsonValue = to === 'json' && !pretty
  const data = isApart ? null : joinTables(tables, options)
  const written = isApart ? tables.map(({ text: own }) => own) : [data ?? '']
  const media = CONTENT_TYPES[to]
  const members = {
    from,
    to,
    rows: tables.reduce((sum, { table }) => sum + table.rows, 0),
    columns: tables.length === 1 ? tables[0]?.table.columns : [],
    content_type: to === 'csv' ? `${media}; header=${header ? 'present' : 'absent'}` : media,
    bytes: written.reduce((sum, own) => sum + Buffer.byteLength(own), 0),
    tables: tables.map(({ table, text: own }) => ({
      name: table.name,
      rows: table.rows,
      columns: table.columns,
      ...(isApart && { data: own }),
    })),
    warnings: notes.list(),
    ts,
  }
  const value = isJsonValue && data !== null ? data : JSON.stringify(data)
  return `${JSON.stringify(members).slice(0, -1)},"data":${value}}`
}

function joinTables(
  tables: readonly { readonly name: string; readonly text: string }[],
  { to, pretty }: ConvertOptions,
): string {
  const [first] = tables
  return to === 'json' && tables.length > 1
    ? joinJsonTables(tables, pretty)
    : tables.length === 1 && first
      ? first.text
      : tables.map(({ text }) => text).join('\n')
}
