import { DatabaseSync } from 'node:sqlite'
import { ConvertError } from '@tollbook/convert/convert-error'
import { convertText } from './converting.ts'
import { type DrawnDump, MARKER } from './draw-dumps.ts'

export type Verdict = {
  /** `told`: rows are missing, and a warning says so. */
  readonly kind: 'complete' | 'refused' | 'told' | 'lost'
  readonly why: string
}

/**
 * Judges the conversion of a dump by two means that know nothing of the reader: every marker of the text must be in the
 * output, and where SQLite accepts the text, it must have as many rows.
 */
export function judgeDump({ style, text }: Pick<DrawnDump, 'style' | 'text'>): Verdict {
  let converted: ReturnType<typeof convertText>
  try {
    converted = convertText(text, 'sql', 'ndjson')
  } catch (error) {
    if (error instanceof ConvertError) return { kind: 'refused', why: `${error.line} ${error.message}` }
    throw error
  }
  const { texts, notes } = converted
  const output = Object.values(texts).join('\n')
  const missing = [...new Set(text.match(MARKER) ?? [])].filter((marker) => !output.includes(marker))
  const warning = notes.find((note) => /skipped/.test(note))
  if (missing.length > 0)
    return warning ? { kind: 'told', why: warning } : { kind: 'lost', why: `${missing.join(', ')} missing` }
  const expected = style === 'sqlite' ? countBySqlite(text) : null
  const rows = output === '' ? 0 : output.split('\n').filter((line) => line !== '').length
  const log = texts.log?.split('\n').filter((line) => line !== '').length ?? 0
  if (expected !== null && expected !== rows - log)
    return {
      kind: rows - log < expected ? 'lost' : 'complete',
      why: `${rows - log} rows, SQLite has ${expected}`,
    }
  return { kind: 'complete', why: '' }
}

/** The rows of all tables but `log`, or null if SQLite does not accept the text. */
function countBySqlite(text: string): number | null {
  const database = new DatabaseSync(':memory:')
  try {
    database.exec('CREATE TABLE log (x)')
    database.exec(text)
    const tables = database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'log'")
      .all()
    return tables.reduce((sum, { name }) => {
      const quoted = `"${String(name).replaceAll('"', '""')}"`
      return sum + Number(database.prepare(`SELECT count(*) AS n FROM ${quoted}`).get()?.n)
    }, 0)
  } catch {
    return null
  } finally {
    database.close()
  }
}
