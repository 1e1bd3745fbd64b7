import { toJsonText } from '../json/to-json-text.ts'
import type { TableWriter } from './table-writer.ts'

/** Writes a table as a list of records; a document is written as it is. */
export function createJsonWriter({ pretty }: { readonly pretty: boolean }): TableWriter {
  const indent = pretty ? 2 : 0
  const [separator, end] = pretty ? [',\n  ', '\n]'] : [',', ']']
  return {
    begin: (table) => (table.isDocument ? '' : '['),
    record(table, value) {
      if (table.isDocument) return toJsonText(value, indent)
      const before = table.rows > 0 ? separator : pretty ? '\n  ' : ''
      return before + toJsonText(value, indent, 1)
    },
    end: (table) => (table.isDocument ? '' : table.rows > 0 ? end : ']'),
  }
}

/** Writes each record on its own line. */
export function createNdjsonWriter(): TableWriter {
  return { begin: () => '', record: (_, value) => `${toJsonText(value)}\n`, end: () => '' }
}

/** Joins the texts of several tables into one JSON object of lists. */
export function joinJsonTables(
  tables: readonly { readonly name: string; readonly text: string }[],
  pretty: boolean,
): string {
  const [open, separator, close] = pretty ? ['{\n  ', ',\n  ', '\n}'] : ['{', ',', '}']
  const members = tables.map(({ name, text }) => {
    const colon = pretty ? ': ' : ':'
    // In JSON a raw line break only occurs between tokens, never inside a string.
    return `${JSON.stringify(name)}${colon}${pretty ? text.replaceAll('\n', '\n  ') : text}`
  })
  return members.length === 0 ? '{}' : `${open}${members.join(separator)}${close}`
}
