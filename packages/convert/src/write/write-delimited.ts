import { ConvertError } from '../convert-error.ts'
import { toJsonText } from '../json/to-json-text.ts'
import type { Notes } from '../notes.ts'
import { toFields } from '../read/name-columns.ts'
import { isAmbiguous, needsQuotes } from '../table/infer-cell.ts'
import { Bytes, NumberText, type Value } from '../value.ts'
import type { TableWriter } from './table-writer.ts'

export type DelimitedWriterOptions = {
  readonly delimiter: ',' | '\t'
  readonly header: boolean
  /** `infer` quotes cells so that type inference restores their values; `string` writes plain strings. */
  readonly types: 'infer' | 'string'
  /** Whether strings that a spreadsheet would run as formulas are prefixed with an apostrophe. */
  readonly escapeFormulas: boolean
  /** Nesting depth up to which a string would be parsed as JSON. */
  readonly depth: number
}

/**
 * Characters that start a spreadsheet formula, including full-width forms.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
const LINE_END = '\r\n'

/** Writes CSV by RFC 4180, or TSV: quoted only where necessary, lines end with CRLF. */
export function createDelimitedWriter(options: DelimitedWriterOptions, notes: Notes): TableWriter {
  const { delimiter, header, types, escapeFormulas, depth } = options
  // A leading U+FEFF must be quoted, or a reader drops it as a byte order mark.
  const special = delimiter === ',' ? /[",\r\n]|^\ufeff/ : /["\t\r\n]|^\ufeff/
  const quote = (text: string) => `"${text.replaceAll('"', '""')}"`
  const quoteIfNeeded = (text: string) => (special.test(text) ? quote(text) : text)

  const writeText = (provided: string, line: number | null): string => {
    if (!provided.isWellFormed())
      throw new ConvertError('unpaired surrogates cannot be encoded as UTF-8', line)
    const isFormula = escapeFormulas && FORMULA.test(provided)
    const text = isFormula ? `'${provided}` : provided
    if (types === 'string') return quoteIfNeeded(text)
    if (isAmbiguous(text, depth)) return quote(JSON.stringify(text))
    return needsQuotes(text) ? quote(text) : quoteIfNeeded(text)
  }

  const writeCell = (value: Value, line: number | null): string => {
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
        if (!name.isWellFormed()) throw new ConvertError('a column name contains an unpaired surrogate')
        // Quotes distinguish an empty name from a missing one.
        if (name === '') return quote(name)
        return quoteIfNeeded(escapeFormulas && FORMULA.test(name) ? `'${name}` : name)
      })
      return names.join(delimiter) + LINE_END
    },
    record(table, value, line) {
      if (table.columns.length === 0) throw new ConvertError(`${table.name} has no columns`, line)
      const cells = table.align(toFields(value), notes, line).map((cell) => writeCell(cell, line))
      return cells.join(delimiter) + LINE_END
    },
    end: () => '',
  }
}
