import { parseJson } from '../json/parse-json.ts'
import type { Notes } from '../notes.ts'
import { END } from '../text-cursor.ts'
import { Fields, type Value } from '../value.ts'
import type { ReadItem, Reading } from './read-item.ts'

/** Each element of a list is a record; any other value is one document. */
export function* readJson(root: Value): Generator<ReadItem> {
  if (!Array.isArray(root)) yield { kind: 'document', value: root }
  else for (const value of root) yield { kind: 'record', table: null, value, line: null }
}

/** An object whose members are all lists of objects: then each member is a table. */
export function isObjectOfTables(root: Value): root is Fields {
  if (!(root instanceof Fields) || root.names.length === 0) return false
  return root.values.every((list) => Array.isArray(list) && list.every((value) => value instanceof Fields))
}

type List = { readonly name: string; readonly rows: readonly Fields[] }

/** The only list of objects in an object, as in an answer of an API: `{"results":[…],"next":null}`. */
export function findList(root: Value): List | null {
  if (!(root instanceof Fields)) return null
  const isList = (value: Value | undefined): value is readonly Fields[] =>
    Array.isArray(value) && value.length > 0 && value.every((item) => item instanceof Fields)
  const lists = root.names.flatMap((name, at) => {
    const rows = root.values[at]
    return isList(rows) ? [{ name, rows }] : []
  })
  return lists.length === 1 ? (lists[0] ?? null) : null
}

export function noteList({ name, rows }: List, notes: Notes): void {
  const shown = JSON.stringify(name)
  notes.add(
    `the text is one object, which is one row; for the ${rows.length} objects of its list ${shown} as rows, set table to ${shown}`,
  )
}

/** Reads an object of tables, such as `{"users":[{"id":1}],"orders":[]}`. */
export function* readObjectOfTables(root: Fields): Generator<ReadItem> {
  for (const [at, table] of root.names.entries()) {
    yield { kind: 'table', table, columns: [] }
    for (const value of root.values[at] as readonly Value[])
      yield { kind: 'record', table, value, line: null }
  }
}

/** Reads NDJSON: each non-empty line holds one value, which is a record. */
export function* readNdjson({ cursor, limits }: Reading): Generator<ReadItem> {
  while (cursor.peek() !== END) {
    const line = cursor.line()
    cursor.begin()
    cursor.skipTo((code) => code === 0x0a || code === 0x0d)
    const text = cursor.taken()
    cursor.advance()
    if (/[^ \t]/.test(text))
      yield { kind: 'record', table: null, value: parseJson(text, limits.depth, line), line }
  }
}
