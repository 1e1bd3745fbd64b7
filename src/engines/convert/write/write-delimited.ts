import { ConvertFault } from '../convert-fault.ts'
import { toJsonText } from '../json/json-text.ts'
import type { Notes } from '../notes.ts'
import { isAmbiguous, needsQuotes } from '../read/infer-cell.ts'
import { toFields } from '../table/to-fields.ts'
import { Bytes, NumberText, type Value } from '../value.ts'
import type { TableWriter } from './table-writer.ts'

export type DelimitedWriterOptions = {
  readonly delimiter: ',' | '\t'
  readonly header: boolean
  /** `infer` writes cells so that they are read back as what they are; `string` writes plain texts. */
  readonly types: 'infer' | 'string'
  /** Whether texts that spreadsheets would run are written with an apostrophe before them. */
  readonly escapeFormulas: boolean
  /** Levels of nesting at which a text is still taken for JSON. */
  readonly depth: number
}

/**
 * How a formula of a spreadsheet may begin, full-width forms included.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
const LINE_END = '\r\n'

/** Writes CSV by RFC 4180, or TSV: quotes only where they are needed, lines that end with CRLF. */
export function createDelimitedWriter(options: DelimitedWriterOptions, notes: Notes): TableWriter {
  const { delimiter, header, types, escapeFormulas, depth } = options
  // A byte order mark at the very start of a text would not belong to it.
  const special = delimiter === ',' ? /[",\r\n]|^\ufeff/ : /["\t\r\n]|^\ufeff/
  const quote = (text: string) => `"${text.replaceAll('"', '""')}"`
  const quoteIfNeeded = (text: string) => (special.test(text) ? quote(text) : text)

  const writeText = (given: string, line: number): string => {
    if (!given.isWellFormed()) throw new ConvertFault('half a surrogate pair has no form in UTF-8', line)
    const isFormula = escapeFormulas && FORMULA.test(given)
    const text = isFormula ? `'${given}` : given
    if (types === 'string') return quoteIfNeeded(text)
    if (isAmbiguous(text, depth)) return quote(JSON.stringify(text))
    return needsQuotes(text) ? quote(text) : quoteIfNeeded(text)
  }

  const writeCell = (value: Value, line: number): string => {
    if (value === null) return ''
    if (typeof value === 'string') return writeText(value, line)
    if (typeof value === 'boolean') return String(value)
    if (value instanceof NumberText) return value.text
    if (value instanceof Bytes) return value.toText()
    return quote(toJsonText(value))
  }

  return {
    begin(table) {
      if (!header || table.columns.length === 0) return ''
      const names = table.columns.map((name) => {
        if (!name.isWellFormed()) throw new ConvertFault('the name of a column has half a surrogate pair')
        // An empty name is told from a missing one by its quotes.
        if (name === '') return quote(name)
        return quoteIfNeeded(escapeFormulas && FORMULA.test(name) ? `'${name}` : name)
      })
      return names.join(delimiter) + LINE_END
    },
    record(table, value, line) {
      if (table.columns.length === 0) throw new ConvertFault(`${table.name} has no columns`, line)
      const cells = table.align(toFields(value), notes, line).map((cell) => writeCell(cell, line))
      return cells.join(delimiter) + LINE_END
    },
    end: () => '',
  }
}
