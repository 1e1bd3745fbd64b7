import { toJsonText } from '../json/json-text.ts'
import type { TableWriter } from './table-writer.ts'

/** Writes a table as a list of records; a document stays what it is. */
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

/** Writes each record on a line of its own. */
export function createNdjsonWriter(): TableWriter {
  return { begin: () => '', record: (_, value) => `${toJsonText(value)}\n`, end: () => '' }
}

/** One JSON text of the texts of several tables: an object of lists. */
export function joinJsonTables(
  tables: readonly { readonly name: string; readonly text: string }[],
  pretty: boolean,
): string {
  const [open, separator, close] = pretty ? ['{\n  ', ',\n  ', '\n}'] : ['{', ',', '}']
  const members = tables.map(({ name, text }) => {
    const colon = pretty ? ': ' : ':'
    // A raw line break of JSON stands between values and never inside a text.
    return `${JSON.stringify(name)}${colon}${pretty ? text.replaceAll('\n', '\n  ') : text}`
  })
  return members.length === 0 ? '{}' : `${open}${members.join(separator)}${close}`
}
