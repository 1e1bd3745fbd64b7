import { JsonReader } from '../json/json-reader.ts'
import { END } from '../text-cursor.ts'
import { Fields } from '../value.ts'
import type { ReadItem, Reading } from './read-item.ts'

const OPEN_LIST = 0x5b
const OPEN_OBJECT = 0x7b

/** Reads a JSON text: each element of a list is a record; any other value is one document. */
export function* readJson({ cursor, limits }: Reading): Generator<ReadItem> {
  const reader = new JsonReader(cursor, limits)
  if (reader.next() === OPEN_LIST) {
    for (const value of reader.elements(0)) yield { kind: 'record', table: null, value, line: cursor.line() }
  } else yield { kind: 'document', value: reader.value(0), line: cursor.line() }
  reader.expectEnd()
}

/** Whether the text is an object whose members are all lists of objects: then each member is a table. */
export function isObjectOfTables({ cursor, limits }: Reading): boolean {
  const reader = new JsonReader(cursor, limits)
  if (reader.next() !== OPEN_OBJECT) return false
  let tables = 0
  for (const _ of reader.names(0)) {
    if (reader.next() !== OPEN_LIST) return false
    for (const value of reader.elements(1)) if (!(value instanceof Fields)) return false
    tables += 1
  }
  return tables > 0
}

/** Reads an object of tables, such as `{"users":[{"id":1}],"orders":[]}`. */
export function* readObjectOfTables({ cursor, limits }: Reading): Generator<ReadItem> {
  const reader = new JsonReader(cursor, limits)
  reader.next()
  for (const table of reader.names(0)) {
    yield { kind: 'table', table, columns: [] }
    reader.next()
    for (const value of reader.elements(1)) yield { kind: 'record', table, value, line: cursor.line() }
  }
  reader.expectEnd()
}

/** Reads NDJSON: each non-empty line holds one value, which is a record. */
export function* readNdjson({ cursor, limits }: Reading): Generator<ReadItem> {
  const reader = new JsonReader(cursor, { ...limits, isOneLine: true })
  for (let code = reader.next(); code !== END; code = reader.next()) {
    if (code === 0x0a || code === 0x0d) {
      cursor.advance()
      continue
    }
    const line = cursor.line()
    const value = reader.value(0)
    reader.expectEnd()
    yield { kind: 'record', table: null, value, line }
  }
}
